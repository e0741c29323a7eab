import { createGroupCommit, type GroupCommitMeter } from '../db/group-commit.ts'
import type { Db, Fragment, Sql } from '../db/pool.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { postWith } from '../ledger/post.ts'
import { type TransactionEvent, toldPart } from '../webhooks/event.ts'
import type { Payout } from './payout.ts'
import { heldPosting } from './postings.ts'

/** A payout that passed every rule and asks for its money. */
export type NewPayout = Omit<
  Payout,
  'state' | 'railTurn' | 'submits' | 'lookups' | 'providerReference' | 'submittedAt'
> & {
  exchangeRate: string | null
  beneficiaryId: string | null
  idempotency: { key: string; requestHash: Buffer } | null
  event: TransactionEvent
}

export type Acceptance =
  | { kind: 'accepted' }
  | { kind: 'insufficient' }
  /** The same Idempotency-Key with the same request: the answer of that time is due again. */
  | { kind: 'replayed'; id: string }
  | { kind: 'key reused' }
  | { kind: 'reference used' }

export type PayoutAcceptance = {
  submit(payout: NewPayout): Promise<Acceptance>
  close(): Promise<void>
}

export type AcceptanceOptions = { maxBatch: number; maxQueued: number; meter?: GroupCommitMeter }

export function createAcceptance(db: Db, options: AcceptanceOptions): PayoutAcceptance {
  return createGroupCommit<NewPayout, Acceptance>({
    ...options,
    commit: (payouts) => acceptAll(db, payouts),
    keyOf: ({ accountId, externalReference }) => `${accountId} ${externalReference}`,
  })
}

/** One statement for all: idempotency first, then the money, then record, transfers and event. */
async function acceptAll(sql: Sql, payouts: readonly NewPayout[]): Promise<Acceptance[]> {
  const byId = new Map(payouts.map((payout) => [payout.id, payout]))
  const outcomes = await postWith(sql, payouts.map(heldPosting), (postings) => {
    const wanted = postings.map(({ transactionId }) => byId.get(transactionId)!)
    return {
      known: knownPart(sql, wanted),
      recorded: recordedPart(sql, wanted),
      further: toldPart(
        sql,
        wanted.map(({ event }) => event),
        wanted[0]!.createdAt,
      ),
    }
  })
  const known = payouts.filter((_, index) => outcomes[index]!.kind === 'known')
  const earlier = known.length > 0 ? await findEarlier(sql, known) : new Map()
  return payouts.map((payout, index) => {
    const { kind } = outcomes[index]!
    if (kind === 'recorded') return { kind: 'accepted' }
    return kind === 'known' ? earlier.get(payout.id) : { kind: 'insufficient' }
  })
}

const keyColumns: UnnestColumns<NewPayout> = {
  slot: ['smallint', (payout) => payout.slot],
  id: ['uuid', (payout) => payout.id],
  account_id: ['uuid', (payout) => payout.accountId],
  external_reference: ['text', (payout) => payout.externalReference],
  idempotency_key: ['text', (payout) => payout.idempotency?.key ?? null],
}

/** Two ways to have been here before, each by an index of its own. */
function knownPart(sql: Sql, payouts: readonly NewPayout[]): Fragment {
  const asked = unnest(sql, 'asked', payouts, keyColumns)
  const keyed = payouts.some(({ idempotency }) => idempotency !== null)
  return sql`
    select asked.id as transaction_id from (${asked}) asked
    where exists (
      select from transactions t
      where t.slot = asked.slot and t.account_id = asked.account_id
        and t.external_reference = asked.external_reference
    )
    ${
      keyed
        ? sql`or asked.idempotency_key is not null and exists (
            select from transactions t
            where t.slot = asked.slot and t.account_id = asked.account_id
              and t.idempotency_key = asked.idempotency_key
          )`
        : sql``
    }`
}

const recordColumns: UnnestColumns<NewPayout> = {
  ...keyColumns,
  environment: ['environment', (payout) => payout.environment],
  request_hash: ['bytea', (payout) => payout.idempotency?.requestHash ?? null],
  method: ['text', (payout) => payout.method],
  destination: ['text', (payout) => payout.destination],
  country: ['text', (payout) => payout.country],
  currency: ['text', (payout) => payout.currency],
  amount: ['bigint', (payout) => payout.amount],
  wallet_id: ['uuid', (payout) => payout.walletId],
  wallet_currency: ['text', (payout) => payout.walletCurrency],
  wallet_amount: ['bigint', (payout) => payout.walletAmount],
  fee: ['bigint', (payout) => payout.fee],
  exchange_rate: ['numeric', (payout) => payout.exchangeRate],
  beneficiary_id: ['uuid', (payout) => payout.beneficiaryId],
  account_name: ['text', (payout) => payout.accountName],
  account_number: ['text', (payout) => payout.accountNumber],
  code: ['text', (payout) => payout.code],
  branch_code: ['text', (payout) => payout.branchCode],
  business_number: ['text', (payout) => payout.businessNumber],
  rail: ['text', (payout) => payout.rail],
  created_at: ['timestamptz', (payout) => payout.createdAt],
}

const recordNames = Object.keys(recordColumns).join(', ')
const recordNamesOf = (alias: string) =>
  Object.keys(recordColumns)
    .map((name) => `${alias}.${name}`)
    .join(', ')

function recordedPart(sql: Sql, payouts: readonly NewPayout[]): Fragment {
  return sql`
    insert into transactions (kind, state, status, updated_at, due_at,
      ${sql.unsafe(recordNames)})
    select 'payout', 'accepted', 'pending', p.created_at, p.created_at,
      ${sql.unsafe(recordNamesOf('p'))}
    from (${unnest(sql, 'p', payouts, recordColumns)}) p
    join wanted on wanted.transaction_id = p.id
    order by p.n
    on conflict do nothing
    returning id as transaction_id, slot, account_id, sequence`
}

/** Why each was known: a repeat after a lost connection finds its own record and is accepted. */
async function findEarlier(
  sql: Sql,
  payouts: readonly NewPayout[],
): Promise<Map<string, Acceptance>> {
  const rows = await sql<
    { asked: string; found: string; key: string | null; hash: Buffer | null }[]
  >`
    select asked.id as asked, t.id as found, t.idempotency_key as key, t.request_hash as hash
    from (${unnest(sql, 'asked', payouts, keyColumns)}) asked
    join transactions t on t.slot = asked.slot and t.account_id = asked.account_id
      and (t.external_reference = asked.external_reference
        or t.idempotency_key = asked.idempotency_key)`
  return new Map(
    payouts.map((payout) => {
      const found = rows.filter(({ asked }) => asked === payout.id)
      return [payout.id, acceptanceOf(payout, found)]
    }),
  )
}

function acceptanceOf(
  { id, idempotency }: NewPayout,
  found: readonly { found: string; key: string | null; hash: Buffer | null }[],
): Acceptance {
  if (found.some((row) => row.found === id)) return { kind: 'accepted' }
  const keyed = idempotency ? found.find(({ key }) => key === idempotency.key) : undefined
  if (!keyed) return { kind: 'reference used' }
  return keyed.hash?.equals(idempotency!.requestHash)
    ? { kind: 'replayed', id: keyed.found }
    : { kind: 'key reused' }
}
