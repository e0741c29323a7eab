import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

/**
 * The keys that seal secrets: from the configuration, or from a file in the data folder that the
 * first start makes.
 */
export function readMasterKeys(config: Pick<Config, 'masterKeys' | 'dataDir'>): Buffer[] {
  if (config.masterKeys) return config.masterKeys
  const file = join(config.dataDir, 'master-key')
  try {
    return [keyFrom(readFileSync(file, 'utf8'), file)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  mkdirSync(config.dataDir, { recursive: true })
  // Written whole beside its place and then linked: of several starts at once one wins, and
  // nobody ever reads half a key.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return [keyFrom(readFileSync(file, 'utf8'), file)]
}

function keyFrom(text: string, file: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === 32) return key
  throw new Error(`The master key in ${file} is damaged: it must be 32 bytes in base64.`)
}
