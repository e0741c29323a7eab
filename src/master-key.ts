import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

type Place = Pick<Config, 'masterKeys' | 'dataDir'>

const keyBytes = 32

/**
 * The keys that seal secrets, newest first: from the configuration, or from a file in the data
 * folder that the first start makes.
 */
export function readMasterKeys(config: Place): Buffer[] {
  if (config.masterKeys) return config.masterKeys
  const file = fileOf(config)
  try {
    return keysFrom(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  mkdirSync(config.dataDir, { recursive: true })
  // Written whole beside its place and then linked: of several starts at once one wins, and
  // nobody ever reads half a key.
  const draft = writeDraft(file, [newMasterKey()])
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return keysFrom(readFileSync(file, 'utf8'), file)
}

/** Puts other keys in the place of those in the file. Whoever reads meanwhile reads either. */
export function replaceMasterKeys(config: Place, keys: readonly Buffer[]): void {
  const file = fileOf(config)
  renameSync(writeDraft(file, keys), file)
  flushFolder(config.dataDir)
}

/** A power cut must not bring the old file back once secrets are sealed with the new key. */
function flushFolder(folder: string): void {
  // Windows opens no folders, and needs none flushed.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

export function newMasterKey(): Buffer {
  return randomBytes(keyBytes)
}

function fileOf({ dataDir }: Place): string {
  return join(dataDir, 'master-key')
}

function writeDraft(file: string, keys: readonly Buffer[]): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const text = keys.map((key) => `${key.toString('base64')}\n`).join('')
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  return draft
}

function keysFrom(text: string, file: string): Buffer[] {
  const keys = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, 'base64'))
  if (keys.every((key) => key.length === keyBytes)) return keys
  throw new Error(`The master key in ${file} is damaged: each line must be 32 bytes in base64.`)
}
