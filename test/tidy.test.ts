import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { banRules } from './tidy/bans.ts'
import { findLevelProblems, levelRules } from './tidy/levels.ts'
import { nameRules } from './tidy/names.ts'
import { readRepository, repositoryOf } from './tidy/repository.ts'
import { brokenPlaces, fineReport, placeOf, report } from './tidy/rule.ts'
import { findSizeProblems, sizeRules } from './tidy/sizes.ts'

const repository = await readRepository(join(import.meta.dirname, '..'))
const rules = [...levelRules, ...sizeRules, ...banRules, ...nameRules]

describe('the repository', () => {
  for (const rule of rules) {
    test(rule.title, () => {
      const problems = rule.find(repository)
      if (problems.length > 0) assert.fail(`\n${report(problems)}\n`)
    })
  }
})

describe('a breach is found, and what only looks like one is not', () => {
  for (const rule of rules) {
    test(rule.title, async () => {
      assert.deepEqual(await brokenPlaces(rule), rule.broken.at)
      assert.equal(await fineReport(rule), '')
    })
  }
})

test('the rules see the code of the service', () => {
  assert.ok(repository.some((file) => file.path === 'src/money/money.ts' && file.syntax))
  assert.ok(repository.some((file) => file.path === 'test/tidy.test.ts' && file.syntax))
  assert.ok(!repository.some((file) => file.path.includes('node_modules')))
})

test('a size on the list may fall but not rise, and leaves the list when it is not needed', () => {
  const measure = (size: number) => [{ path: 'src/a.ts', line: 7, name: 'src/a.ts#f', size }]
  const places = (size: number) =>
    findSizeProblems(measure(size), 70, 'lines', { 'src/a.ts#f': 90 }).map(placeOf)
  assert.deepEqual(places(91), ['src/a.ts:7'])
  assert.deepEqual(places(90), [])
  assert.deepEqual(places(71), [])
  assert.deepEqual(places(70), ['src/a.ts:1'])
  assert.equal(findSizeProblems([], 70, 'lines', { 'src/gone.ts': 400 }).length, 1)
})

test('a listed import is allowed, and leaves the list when it is gone', async () => {
  const exception = { from: 'src/charges/a.ts', to: 'src/payouts/b.ts', reason: 'for this test' }
  const find = findLevelProblems([exception])
  const files = { 'src/charges/a.ts': "import { b } from '../payouts/b.ts'\n" }
  assert.deepEqual(find(await repositoryOf(files)), [])
  assert.deepEqual(find(await repositoryOf({})).map(placeOf), ['src/charges/a.ts:1'])
})
