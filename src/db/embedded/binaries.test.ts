import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/harness.ts'
import { copyForAll, restoreLinks } from './binaries.ts'
import { blockedFolder, serverFolder } from './run-as.ts'

async function packageFolder(t: TestContext): Promise<string> {
  const folder = await tempFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'native', 'lib'), { recursive: true })
  await writeFile(join(folder, 'native', 'lib', 'libpq.so.5.18'), 'library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links))
  return folder
}

test('links that the install did not make are made, and others are left', async (t) => {
  const folder = await packageFolder(t)
  const link = join(folder, 'native', 'lib', 'libpq.so.5')
  await restoreLinks(folder)
  assert.equal(await readlink(link), 'libpq.so.5.18')
  await rm(link)
  await writeFile(link, 'a real file')
  await restoreLinks(folder)
  assert.equal(await readFile(link, 'utf8'), 'a real file')
})

test('a package without a list of links needs none', async (t) => {
  const folder = await packageFolder(t)
  await rm(join(folder, 'native', 'pg-symlinks.json'))
  await restoreLinks(folder)
})

test('a copy for all can be read by all, and runs what ran', async (t) => {
  const folder = await packageFolder(t)
  const library = join(folder, 'native', 'lib', 'libpq.so.5.18')
  await restoreLinks(folder)
  await chmod(library, 0o700)
  await chmod(join(folder, 'native'), 0o700)
  const copy = join(folder, 'copy')
  await copyForAll(join(folder, 'native'), copy)
  assert.equal((await stat(copy)).mode & 0o777, 0o755)
  assert.equal((await stat(join(copy, 'lib', 'libpq.so.5'))).mode & 0o777, 0o755)
  assert.equal((await stat(join(copy, 'pg-symlinks.json'))).mode & 0o777, 0o644)
})

test('where PostgreSQL may not enter the data folder, its files lie elsewhere', async (t) => {
  const folder = await packageFolder(t)
  const stranger = { uid: 54_321, gid: 54_321 }
  const inner = join(folder, 'native', 'lib')
  await chmod(folder, 0o700)
  assert.equal(await blockedFolder(inner, stranger), folder)
  const other = await serverFolder(inner, stranger, '/somewhere')
  assert.match(other, /^\/somewhere\/data-[0-9a-f]{16}$/)
  assert.equal(await serverFolder(inner, stranger, '/somewhere'), other)
  await rm(join(inner, 'postgres-is-elsewhere'))
  assert.notEqual(await serverFolder(inner, stranger, '/somewhere'), other)
  await chmod(folder, 0o711)
  assert.equal(await serverFolder(inner, stranger), inner)
  assert.equal(await serverFolder(inner, undefined), inner)
})
