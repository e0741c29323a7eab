import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

const here = import.meta.dirname
const output = join(here, 'dist')
const limitBytes = 200_000
const run = promisify(execFile)

before(() => run(process.execPath, [join(here, 'build.ts')]))

const read = (name: string): string => readFileSync(join(output, name), 'utf8')

/** A script with everything it imports at once; what it imports later is not counted. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const found = read(join('assets', name)).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)
  for (const [, imported] of found) withImports(imported as string, seen)
  return seen
}

const scriptOf = (page: string): string => basename(globSync(`${output}/assets/${page}-*.js`)[0]!)

test('the first pages need at most 200 kB of compressed script', () => {
  const [, entry] = /<script type="module"[^>]* src="\/assets\/([^"]+)"/.exec(read('index.html'))!
  for (const page of ['SignInPage', 'OverviewPage']) {
    const scripts = withImports(scriptOf(page), withImports(entry as string))
    const sizes = [...scripts].map((name) => statSync(join(output, 'assets', `${name}.br`)).size)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total > limitBytes / 10 && total <= limitBytes, `${page} needs ${total} bytes`)
  }
})

test('the page has no script or style of its own, and a place for the nonce', () => {
  const page = read('index.html')
  assert.match(page, /<meta name="style-nonce" content="__NONCE__" \/>/)
  assert.doesNotMatch(page, /<style|style=|\son\w+=|<script(?![^>]* src=)/)
})

test('every script and style sheet lies there compressed in both ways', () => {
  const names = globSync(`${output}/assets/*.{js,css}`)
  assert.ok(names.length > 10)
  for (const name of names) {
    const content = readFileSync(name)
    assert.ok(brotliDecompressSync(readFileSync(`${name}.br`)).equals(content), name)
    assert.ok(gunzipSync(readFileSync(`${name}.gz`)).equals(content), name)
  }
})

test('what is fresh is not built again', async () => {
  const made = statSync(join(output, 'index.html')).mtimeMs
  await run(process.execPath, [join(here, 'build.ts')])
  assert.equal(statSync(join(output, 'index.html')).mtimeMs, made)
})
