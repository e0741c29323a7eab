import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAuditAnswer } from './check/audit-answer.ts'
import { dependencyProblems, type Lockfile, type Manifest } from './check/dependency-rules.ts'

// Without arguments: the part of the check that needs no network. With --audit: `npm run audit`,
// which asks the registry what is known of the packages by now, and so is no part of the check.

const root = join(import.meta.dirname, '..')
const auditTimeoutMs = 60_000

const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))

function problems(): string[] {
  const manifest = read('package.json') as Manifest
  const folders = manifest.workspaces ?? []
  const manifests: Record<string, Manifest> = { '': manifest }
  for (const folder of folders) manifests[folder] = read(folder, 'package.json') as Manifest
  return dependencyProblems(read('package-lock.json') as Lockfile, manifests)
}

if (process.argv.includes('--audit')) {
  const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], {
    ...{ cwd: root, encoding: 'utf8', timeout: auditTimeoutMs },
    shell: process.platform === 'win32',
  })
  const { exitCode, lines } = readAuditAnswer(stdout || stderr || '')
  console.log(lines.join('\n'))
  process.exitCode = exitCode
} else {
  const found = problems()
  for (const problem of found) console.error(problem)
  if (found.length === 0) console.log('The dependencies are as they should be.')
  process.exitCode = found.length === 0 ? 0 : 1
}
