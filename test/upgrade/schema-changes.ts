import { readdirSync, readFileSync } from 'node:fs'
import type { Db } from '../../src/db/pool.ts'
import { splitStatements, withoutComments } from '../../src/db/split-statements.ts'

type Column = { name: string; type: string; required: boolean; filled: boolean }
type Part = { name: string; table: string }
export type Schema = {
  columns: Column[]
  /** Tables and indexes, each with the file it lies in: another file means it was rewritten. */
  files: (Part & { file: number })[]
  constraints: (Part & { validated: boolean })[]
}

/** They stay small, so that reading one under a lock takes no time. */
const smallTables = new Set([
  'accounts', // two per merchant
  'audit_log', // what people did with their hands
  'merchants',
  'suspense_items', // exceptions, each looked at by a person
])

export async function readSchema(db: Db): Promise<Schema> {
  const columns = await db<Column[]>`
    select format('%s.%s', c.relname, a.attname) as name,
      concat_ws(' collate ', format_type(a.atttypid, a.atttypmod),
        nullif(a.attcollation, 0)::regcollation::text) as type,
      a.attnotnull as required, a.atthasdef as filled
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped`
  const files = await db<Schema['files']>`
    select c.relname as name, coalesce(t.relname, c.relname) as table, c.relfilenode::int as file
    from pg_class c
    left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')`
  const constraints = await db<Schema['constraints']>`
    select o.conname as name, c.relname as table, o.convalidated as validated
    from pg_constraint o join pg_class c on c.oid = o.conrelid
    where c.relnamespace = 'public'::regnamespace and o.contype in ('c', 'f')`
  return { columns, files, constraints }
}

/** What a program written for the schema before would stumble over, or have to wait for. */
export function findBreaches(before: Schema, after: Schema, statements: string[]): string[] {
  const tables = new Set(before.columns.map(({ name }) => name.split('.')[0]!))
  const isLarge = (table: string): boolean => tables.has(table) && !smallTables.has(table)
  const isSaid = (words: string): boolean =>
    statements.some((statement) => statement.replaceAll(/\s+/g, ' ').includes(words))
  const added = <Kind extends { name: string }>(now: Kind[], then: Kind[]): Kind[] =>
    now.filter(({ name }) => then.every((one) => one.name !== name))
  return [
    ...before.columns.flatMap((old) => columnBreach(old, after)),
    ...before.files.flatMap((old) => fileBreach(old, after)),
    ...added(after.columns, before.columns)
      .filter(
        ({ name, required, filled }) => tables.has(name.split('.')[0]!) && required && !filled,
      )
      .map(({ name }) => `${name} is required and has no default: older programs do not fill it`),
    ...added(after.files, before.files)
      .filter(({ name, table }) => isLarge(table) && !isSaid(`index concurrently ${name} `))
      .map(({ name, table }) => `${name} is built while nobody can write to ${table}`),
    ...added(after.constraints, before.constraints)
      .filter(({ name, table }) => isLarge(table) && !isSaid(`validate constraint ${name}`))
      .filter(({ validated }) => validated)
      .map(({ name, table }) => `${name} reads all of ${table} under a lock`),
  ]
}

function columnBreach(old: Column, { columns }: Schema): string[] {
  const now = columns.find(({ name }) => name === old.name)
  if (now === undefined) return [`${old.name} is gone`]
  if (now.type !== old.type) return [`${old.name} was ${old.type} and is ${now.type}`]
  return now.required && !old.required ? [`${old.name} is required now`] : []
}

function fileBreach(old: Schema['files'][number], { files }: Schema): string[] {
  const now = files.find(({ name }) => name === old.name)
  if (now === undefined) return [`${old.name} is gone`]
  return now.file === old.file ? [] : [`${old.name} is rewritten under a lock`]
}

/** The statements of the migrations after the given one. */
export function statementsAfter(version: number): string[] {
  const folder = new URL('../../migrations/', import.meta.url)
  return readdirSync(folder)
    .filter((file) => Number(file.slice(0, 4)) > version && !file.endsWith('.test.sql'))
    .flatMap((file) => splitStatements(readFileSync(new URL(file, folder), 'utf8')))
    .map(withoutComments)
}
