import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runSteps, type Step } from './check/steps.ts'

// What `npm run check` and `npm test` run: the same on every machine, and all there is to pass.

const requiredMajor = 26
const root = join(import.meta.dirname, '..')
const installed = join(root, 'node_modules')

const steps: Step[] = [
  {
    name: 'format and lint',
    args: [join(installed, '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings'],
  },
  { name: 'types', args: [join(installed, 'typescript', 'bin', 'tsc'), '--noEmit'] },
  {
    name: 'types of the dashboard',
    args: [join(installed, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', 'web'],
  },
  { name: 'dependencies', args: [join('test', 'dependencies.ts')] },
  { name: 'generated files', args: [join('test', 'generate.ts'), '--check'] },
  { name: 'tests', args: [join('test', 'run.ts')], isStreamed: true },
]

const isThere = (step: Step): boolean =>
  step.name !== 'generated files' || existsSync(join(root, 'test', 'generate.ts'))

if (Number.parseInt(process.versions.node, 10) < requiredMajor) {
  console.error(
    `This needs Node ${requiredMajor}, which npm ci installs: start it with "npm run check".`,
  )
  process.exitCode = 1
} else {
  // Whatever a step starts as `node` has to be the Node of the lockfile too.
  const path = [join(installed, '.bin'), process.env.PATH].join(delimiter)
  const isOk = await runSteps(steps.filter(isThere), {
    cwd: root,
    env: { ...process.env, PATH: path },
    print: (text) => process.stdout.write(text),
    nowMs: () => performance.now(),
  })
  process.exitCode = isOk ? 0 : 1
}
