/** Writes the files that are made from the code; with --check it only tells which are stale. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dumpSchema } from '../src/db/schema-dump.ts'
import { staleFiles, writeFiles } from './generate/files.ts'
import { generatedFiles } from './generate/pages.ts'
import { testDatabase } from './harness.ts'
import { walkPage } from './walk/walk.ts'

const root = join(import.meta.dirname, '..')

async function freshSchema(): Promise<string> {
  const { sql, drop } = await testDatabase()
  try {
    return await dumpSchema(sql)
  } finally {
    await drop()
  }
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const walk = { path: 'docs/walk.md', text: await walkPage() }
const files = [...generatedFiles(await freshSchema()), walk]
const stale = await staleFiles(root, files)
if (!values.check) {
  await writeFiles(root, stale)
  for (const { path } of stale) console.log(`wrote ${path}`)
  if (stale.length === 0) console.log('All generated files are fresh.')
} else if (stale.length > 0) {
  for (const { path } of stale) console.error(`${path} is stale.`)
  console.error('\nRun "npm run generate", look at what changed, and commit it.')
  process.exitCode = 1
}
