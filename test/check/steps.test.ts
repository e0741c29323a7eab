import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps, type Step } from './steps.ts'

const run = async (steps: readonly Step[]) => {
  let printed = ''
  let clockMs = 0
  const isOk = await runSteps(steps, {
    cwd: import.meta.dirname,
    env: process.env,
    print: (text) => {
      printed += text
    },
    nowMs: () => {
      clockMs += 1250
      return clockMs
    },
  })
  return { isOk, printed }
}

const script = (name: string, code: string): Step => ({ name, args: ['--eval', code] })

test('steps that pass show one line each and hide what they said', async () => {
  const { isOk, printed } = await run([
    script('one', 'console.log("chatter")'),
    script('two', 'console.error("chatter")'),
  ])
  assert.ok(isOk)
  assert.match(printed, /^ok +one +1\.2 s\nok +two +1\.2 s\n\nEverything is in order, after 6\.2 s/)
  assert.ok(!printed.includes('chatter'))
})

test('the first step that fails shows what it said and ends the check', async () => {
  const { isOk, printed } = await run([
    script('one', ''),
    script('two', 'console.log("out"); console.error("err"); process.exitCode = 3'),
    script('three', ''),
  ])
  assert.ok(!isOk)
  assert.match(printed, /ok +one .*\nFAIL two .*\n\nout\nerr\n\nThe check stopped: "two" failed/)
  assert.ok(!printed.includes('three'))
})

test('a step that dies by a signal fails', async () => {
  const { isOk, printed } = await run([script('one', 'process.kill(process.pid, "SIGKILL")')])
  assert.ok(!isOk)
  assert.match(printed, /ended by SIGKILL/)
})

test('every line of the report fits a terminal of 80 columns', async () => {
  const { printed } = await run([script('a step with a name', 'process.exitCode = 1')])
  for (const line of printed.split('\n')) assert.ok(line.length <= 80, line)
})
