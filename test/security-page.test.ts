import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const named = /`((?:src|test|web|sdk)\/[^`]+\.test\.ts)`((?:,? "[^"]+")*)/g

/** Test files that are named, each with the titles that are quoted after it. */
function testsNamedIn(text: string): { file: string; titles: string[] }[] {
  return [...text.matchAll(named)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }))
}

test('every test that the security page names is there', () => {
  const tests = testsNamedIn(page)
  assert.ok(tests.length > 50 && tests.some(({ titles }) => titles.length > 1))
  for (const { file, titles } of tests) {
    assert.ok(existsSync(join(root, file)), `${file} is not there`)
    const source = readFileSync(join(root, file), 'utf8')
    for (const title of titles) assert.ok(source.includes(title), `${file} has no test "${title}"`)
  }
})

test('each of the ten points names a test, and each threat does', () => {
  for (let point = 1; point <= 10; point++) {
    const line = page.split('\n').find((each) => each.startsWith(`| API${point} `)) ?? ''
    assert.ok(testsNamedIn(line).length > 0, `API${point}`)
  }
  const model = page.slice(page.indexOf('## Threat model'), page.indexOf('### Not covered'))
  const threats = model.split('\n').filter((line) => /^\| [a-z0-9]/.test(line))
  assert.ok(threats.length > 20)
  for (const line of threats) assert.ok(testsNamedIn(line).length > 0, line)
})
