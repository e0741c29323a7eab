import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../harness.ts'
import { staleFiles, writeFiles } from './files.ts'
import { code, table } from './markdown.ts'
import { generatedFiles } from './pages.ts'

test('a missing or different file is stale, and one with other line ends is not', async (t) => {
  const root = await tempFolder()
  t.after(() => rm(root, { recursive: true }))
  const files = ['docs/a.md', 'docs/b.md', 'c.json'].map((path) => ({ path, text: 'one\ntwo\n' }))
  const stalePaths = async () => (await staleFiles(root, files)).map(({ path }) => path)
  assert.deepEqual(await stalePaths(), ['docs/a.md', 'docs/b.md', 'c.json'])
  await writeFiles(root, files)
  assert.deepEqual(await stalePaths(), [])
  await writeFile(join(root, 'docs/a.md'), 'one\r\ntwo\r\n')
  await writeFile(join(root, 'docs/b.md'), 'one\nthree\n')
  assert.deepEqual(await stalePaths(), ['docs/b.md'])
  assert.equal(await readFile(join(root, 'docs/b.md'), 'utf8'), 'one\nthree\n')
})

test('every generated file says on top that it is generated', () => {
  for (const { path, text } of generatedFiles('create table a ();\n')) {
    assert.match(text.split('\n').slice(0, 2).join('\n'), /Generated from .* Do not edit\./, path)
    assert.ok(text.endsWith('\n') && !text.endsWith('\n\n'), path)
  }
})

test('a cell of a table can hold bars and angle brackets', () => {
  assert.equal(
    table(['a', 'b'], [['x|y <z>', code('rail:<name>')]]),
    '| a | b |\n| --- | --- |\n| x\\|y &lt;z> | `rail:<name>` |',
  )
})
