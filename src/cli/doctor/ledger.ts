import { existsSync } from 'node:fs'
import { checkedKeyId } from '../../db/master-key-check.ts'
import type { Db } from '../../db/pool.ts'
import { type Book, books } from '../../ledger/seals/book.ts'
import { headOf, headText, isSignedWith, lastSeal } from '../../ledger/seals/chain.ts'
import { preferIndexes } from '../../ledger/seals/entries.ts'
import { loadSealingKeys, type SealingKeys } from '../../ledger/seals/keys.ts'
import { trialBalance } from '../../ledger/trial-balance.ts'
import { readMasterKeys } from '../../master-key.ts'
import { createSeal, masterKeyId } from '../../seal.ts'
import { keyUse } from '../reseal.ts'
import type { Session } from '../session.ts'
import { ageText, type Check, type Finding, fail, ok, warn } from './finding.ts'
import { keyFileFinding, keyFileOf } from './machine.ts'

const behindSeconds = 120
const farBehindSeconds = 900

export const ledgerChecks: readonly Check[] = [
  { what: 'master key', run: masterKey },
  { what: 'ledger', run: ledger },
  { what: 'seals', run: seals },
]

const hasKeys = ({ config }: Session): boolean =>
  config.masterKeys !== undefined || existsSync(keyFileOf(config))

async function masterKey(session: Session): Promise<Finding> {
  const { config, db } = session
  const wanted = await checkedKeyId(db)
  if (!hasKeys(session)) {
    return wanted === undefined
      ? ok('master key', 'the first start makes it')
      : fail('master key', `${keyFileOf(config)} is missing`, 'Put the key of this database there.')
  }
  const ids = readMasterKeys(config).map((key) => masterKeyId(key).toString('hex'))
  const use = await keyUse(db)
  const missing = [...use.keys()].filter((id) => !ids.includes(id))
  if (missing.length > 0) {
    const found = `secrets are sealed with ${missing.join(', ')}, which is not here`
    return fail('master key', found, 'Put that key back, then malipo master-key rotate.')
  }
  const isOpen = keyFileFinding(config)
  if (isOpen) return isOpen
  if (ids.length > 1) {
    const found = `an old key is kept: ${ids.slice(1).join(', ')}`
    return warn('master key', found, 'malipo master-key rotate, then malipo master-key retire.')
  }
  return ok('master key', `${ids[0]} opens every secret`)
}

/** The sums only: malipo ledger check recomputes everything, which may take long. */
async function ledger({ db }: Session): Promise<Finding> {
  const wrong = (await trialBalance(db)).filter(({ sum }) => sum !== 0n)
  if (wrong.length === 0) return ok('ledger', 'every currency sums to zero')
  const names = wrong.map(({ environment, currency }) => `${environment} ${currency}`)
  const advice =
    'malipo ledger check and malipo ledger verify say more. Pay out nothing until then.'
  return fail('ledger', `${names.join(', ')} do not sum to zero`, advice)
}

async function seals(session: Session): Promise<Finding[]> {
  const { config, db } = session
  if (!hasKeys(session)) return [ok('seals', 'none yet')]
  const masterKeys = readMasterKeys(config)
  const keys = await loadSealingKeys(db, createSeal(masterKeys), masterKeys)
  return await Promise.all(books.map((book) => sealsOf(session, book, keys)))
}

async function sealsOf({ db }: Session, book: Book, keys: SealingKeys): Promise<Finding> {
  const what = `seals, ${book.name}`
  const last = await lastSeal(db, book)
  const key = last && keys.byId(last.keyId)
  if (last && (key === undefined || !isSignedWith(book, key, last))) {
    const found = `the last seal, ${last.number}, is not signed by this installation`
    return fail(what, found, 'malipo ledger verify says more.')
  }
  const waiting = await unsealed(db, book, last?.toPosition ?? 0n)
  const head = last ? `, head ${headText(headOf(last)).slice(0, 24)}…` : ''
  const found = `${waiting.count} ${book.nouns} not sealed yet${head}`
  if (waiting.seconds < behindSeconds) return ok(what, found)
  const late = `${found}, the oldest for ${ageText(waiting.seconds)}`
  const advice = 'Is a worker running? A transaction that goes on for long holds seals back too.'
  return waiting.seconds < farBehindSeconds ? warn(what, late, advice) : fail(what, late, advice)
}

type Waiting = { count: number; seconds: number }

function unsealed(db: Db, book: Book, from: bigint): Promise<Waiting> {
  return db.begin(async (tx) => {
    await preferIndexes(tx)
    const [row] = (await tx.unsafe(`
      select count(*)::float8 as count,
        coalesce(extract(epoch from now() - min(${book.time})), 0)::float8 as seconds
      from ${book.table} where position >= ${from}`)) as Waiting[]
    return row!
  })
}
