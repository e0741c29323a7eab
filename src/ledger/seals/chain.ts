import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../db/pool.ts'
import type { Book } from './book.ts'

/** What a seal says, and signs. */
export type SealContent = {
  number: bigint
  fromPosition: bigint
  /** The first position that is not covered any more. */
  toPosition: bigint
  entries: bigint
  columns: readonly string[]
  contentHash: Buffer
  previousHash: Buffer
  keyId: string
  sealedAt: Date
}

export type Seal = SealContent & { hash: Buffer }

/** The last seal: whoever keeps it elsewhere can tell later that nothing before it was changed. */
export type Head = { number: bigint; hash: string }

/** Before the first seal. */
export const noHash = Buffer.alloc(32)

export function signSeal(book: Book, key: Buffer, seal: SealContent): Buffer {
  // A list of texts has one reading only, so no value can pose as a part of another.
  const text = JSON.stringify([
    `malipo ${book.name} seal`,
    String(seal.number),
    String(seal.fromPosition),
    String(seal.toPosition),
    String(seal.entries),
    seal.columns,
    seal.contentHash.toString('hex'),
    seal.previousHash.toString('hex'),
    seal.keyId,
    seal.sealedAt.toISOString(),
  ])
  return createHmac('sha256', key).update(text).digest()
}

export function isSignedWith(book: Book, key: Buffer, seal: Seal): boolean {
  return timingSafeEqual(signSeal(book, key, seal), seal.hash)
}

/** The hash of rows in their order, each as PostgreSQL writes it. */
export function contentHasher() {
  const hash = createHash('sha256')
  let entries = 0n
  return {
    add(text: string): void {
      entries++
      // The length says where a row ends, whatever it contains.
      hash.update(`${Buffer.byteLength(text)}:${text}`)
    },
    entries: () => entries,
    digest: () => hash.digest(),
  }
}

export type ContentHasher = ReturnType<typeof contentHasher>

export function headOf(seal: Pick<Seal, 'number' | 'hash'>): Head {
  return { number: seal.number, hash: seal.hash.toString('hex') }
}

export function headText({ number, hash }: Head): string {
  return `${number}:${hash}`
}

/** "12:9f86d0…" as it was printed; nothing where the text is no head. */
export function parseHead(text: string): Head | undefined {
  const [, number, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return number === undefined || hash === undefined ? undefined : { number: BigInt(number), hash }
}

/** The columns of a seal as the type names them. */
export const sealColumns = (sql: Sql) => sql`
  number, from_position as "fromPosition", to_position as "toPosition", entries, columns,
  content_hash as "contentHash", previous_hash as "previousHash", key_id as "keyId", hash,
  sealed_at as "sealedAt"`

export async function lastSeal(sql: Sql, book: Book): Promise<Seal | undefined> {
  const [seal] = await sql<Seal[]>`
    select ${sealColumns(sql)} from ${sql.unsafe(book.seals)} order by number desc limit 1`
  return seal
}

export async function sealByNumber(
  sql: Sql,
  book: Book,
  number: bigint,
): Promise<Seal | undefined> {
  const [seal] = await sql<Seal[]>`
    select ${sealColumns(sql)} from ${sql.unsafe(book.seals)} where number = ${number}`
  return seal
}

export async function insertSeal(sql: Sql, book: Book, seal: Seal): Promise<void> {
  await sql`
    insert into ${sql.unsafe(book.seals)} (number, from_position, to_position, entries, columns,
      content_hash, previous_hash, key_id, hash, sealed_at)
    values (${seal.number}, ${seal.fromPosition}, ${seal.toPosition}, ${seal.entries},
      ${[...seal.columns]}::text[], ${seal.contentHash}, ${seal.previousHash}, ${seal.keyId},
      ${seal.hash}, ${seal.sealedAt})`
}
