import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { walkPage } from './walk/walk.ts'

test('a payout goes the way that docs/walk.md shows', async () => {
  const written = await readFile(new URL('../docs/walk.md', import.meta.url), 'utf8')
  const walked = await walkPage()
  assert.equal(written.replaceAll('\r\n', '\n'), walked, 'run "npm run generate" and look at it')
})
