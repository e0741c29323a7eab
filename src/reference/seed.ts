import { createReadStream } from 'node:fs'
import type { Db } from '../db/pool.ts'
import { importList } from './import-list.ts'
import { type ListName, listNames } from './lists.ts'

/** To be raised with every change of a file, or installations that have the list keep theirs. */
const shippedVersions: Readonly<Record<ListName, number>> = {
  countries: 1,
  operators: 1,
  banks: 1,
  branches: 1,
}

export const shippedFolder = new URL('../../data/reference/', import.meta.url)

/**
 * Fills the lists that are empty, and renews those that are older than the files of this program,
 * unless an operator has replaced them. Any number of nodes may do so at once.
 */
export async function seedReference(db: Db): Promise<void> {
  const stored = await db<{ name: ListName; version: number; origin: string }[]>`
    select name, version, origin from reference_lists`
  for (const name of listNames) {
    const shippedVersion = shippedVersions[name]
    const present = stored.find((each) => each.name === name)
    if (present && (present.origin === 'imported' || present.version >= shippedVersion)) continue
    const file = createReadStream(new URL(`${name}.csv`, shippedFolder))
    const { badLines } = await importList(db, name, file, { shippedVersion })
    const bad = badLines[0]
    if (bad) throw new Error(`data/reference/${name}.csv, line ${bad.line}: ${bad.problem}.`)
  }
}
