import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dependencyProblems, type LockedPackage, type Manifest } from './dependency-rules.ts'

const good: LockedPackage = { version: '1.2.3', integrity: 'sha512-abc', license: 'MIT' }
const manifest: Manifest = { dependencies: { one: '1.2.3' }, allowScripts: {} }

const problemsOf = (
  packages: Record<string, LockedPackage>,
  changed: Manifest = {},
  lockfileVersion = 3,
) => {
  const root = { ...manifest, ...changed }
  const { allowScripts: _scripts, ...locked } = root
  return dependencyProblems(
    { lockfileVersion, packages: { '': locked, ...packages } },
    { '': root },
  )
}

test('exact versions with integrity and a known licence pass', () => {
  const packages = {
    'node_modules/one': good,
    'node_modules/one/node_modules/two': { ...good, license: '(GPL-3.0 OR MIT)' },
    'node_modules/tool': { ...good, license: 'MPL-2.0', dev: true },
    'node_modules/@malipo/web': { resolved: 'web', link: true },
  }
  assert.deepEqual(problemsOf(packages), [])
})

test('each thing that is wrong with a package is told', () => {
  const wrongs: [LockedPackage, RegExp][] = [
    [{ ...good, integrity: undefined } as never, /has no integrity/],
    [{ ...good, integrity: 'sha1-abc' }, /has no integrity/],
    [{ ...good, resolved: 'git+ssh://git@host/x.git#abc' }, /no package of a registry/],
    [{ ...good, license: 'GPL-3.0' }, /under GPL-3\.0/],
    [{ ...good, license: 'MIT AND GPL-3.0' }, /under MIT AND GPL-3\.0/],
    [{ ...good, license: 'MPL-2.0' }, /under MPL-2\.0/],
    [{ version: '1.2.3', integrity: 'sha512-abc' }, /names no licence/],
    [{ ...good, hasInstallScript: true }, /^one runs a script/],
  ]
  for (const [locked, problem] of wrongs) {
    const problems = problemsOf({ 'node_modules/one': locked })
    assert.equal(problems.length, 1, String(problem))
    assert.match(problems[0]!, problem)
  }
})

test('a script is decided by name, and a decision about nothing is told', () => {
  const packages = { 'node_modules/one': { ...good, hasInstallScript: true } }
  for (const isAllowed of [true, false]) {
    assert.deepEqual(problemsOf(packages, { allowScripts: { one: isAllowed } }), [])
  }
  const stale = problemsOf({ 'node_modules/one': good }, { allowScripts: { one: true } })
  assert.match(stale[0]!, /^allowScripts names one/)
})

test('a range, an old lockfile and one of other manifests are told', () => {
  const packages = { 'node_modules/one': good }
  for (const version of ['^1.2.3', '~1.2.3', '1.x', '*', 'latest', '>=1', 'github:a/b']) {
    assert.match(
      problemsOf(packages, { devDependencies: { two: version } })[0]!,
      /^package\.json: two ".*" must be an exact version/,
    )
  }
  assert.match(problemsOf(packages, { overrides: { two: '^1' } })[0]!, /exact version/)
  assert.match(problemsOf(packages, {}, 2)[0]!, /old form/)
  const locked = { '': {}, 'node_modules/one': good }
  const [stale] = dependencyProblems({ lockfileVersion: 3, packages: locked }, { '': manifest })
  assert.match(stale!, /^package-lock\.json differs from package\.json in dependencies/)
})
