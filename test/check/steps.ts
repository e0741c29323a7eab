import { spawn } from 'node:child_process'

export type Step = {
  readonly name: string
  /** Arguments for the Node that runs this. */
  readonly args: readonly string[]
  /** Long steps show their output as it comes, the others only when they fail. */
  readonly isStreamed?: boolean
}

export type Surroundings = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly print: (text: string) => void
  readonly nowMs: () => number
}

/** No step should ever take this long; one that hangs must not hang the machine that waits. */
const stepTimeoutMs = 30 * 60_000

/** Enough to see what is wrong, and not more than a terminal keeps. */
const maxOutputLength = 200_000

const nameWidth = 24

/** Runs the steps in order and stops at the first that fails. */
export const runSteps = async (
  steps: readonly Step[],
  surroundings: Surroundings,
): Promise<boolean> => {
  const { print, nowMs } = surroundings
  const startedMs = nowMs()
  for (const step of steps) {
    const stepStartedMs = nowMs()
    if (step.isStreamed) print(`     ${step.name}\n`)
    const { isOk, output } = await runStep(step, surroundings)
    const duration = secondsText(nowMs() - stepStartedMs)
    print(`${isOk ? 'ok  ' : 'FAIL'} ${step.name.padEnd(nameWidth)} ${duration}\n`)
    if (isOk) continue
    if (output !== '') print(`\n${output.trimEnd()}\n`)
    print(`\nThe check stopped: "${step.name}" failed. What to do is shown above.\n`)
    return false
  }
  print(`\nEverything is in order, after ${secondsText(nowMs() - startedMs)}.\n`)
  return true
}

const runStep = (
  step: Step,
  { cwd, env }: Surroundings,
): Promise<{ isOk: boolean; output: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, step.args, {
      cwd,
      env,
      stdio: step.isStreamed ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      timeout: stepTimeoutMs,
    })
    let output = ''
    const keep = (chunk: string) => {
      output = (output + chunk).slice(0, maxOutputLength)
    }
    child.stdout?.setEncoding('utf8').on('data', keep)
    child.stderr?.setEncoding('utf8').on('data', keep)
    child.once('error', (error) => resolve({ isOk: false, output: error.message }))
    child.once('close', (code, signal) => {
      const ending = signal === null ? '' : `\nIt was ended by ${signal}.`
      resolve({ isOk: code === 0, output: output + ending })
    })
  })

/** Tenths are cut, not rounded: a duration needs no better. */
const secondsText = (durationMs: number): string => {
  const tenths = Math.floor(durationMs / 100)
  return `${Math.floor(tenths / 10)}.${tenths % 10} s`
}
