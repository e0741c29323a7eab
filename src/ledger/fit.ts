import { changeOf, type Posting } from './posting.ts'

export type Balance = { available: bigint; held: bigint }
export type Fit = { fitting: Posting[]; refused: Map<Posting, string> }

/**
 * Decides postings one after another, in their order, against the balances they meet: the outcome
 * is exactly that of one request after the other. A refused one takes nothing from those behind it.
 */
export function fitPostings(
  postings: readonly Posting[],
  balances: ReadonlyMap<string, Balance>,
): Fit {
  const current = new Map(balances)
  const fit: Fit = { fitting: [], refused: new Map() }
  for (const posting of postings) {
    const after = applyPosting(posting, current)
    if (typeof after === 'string') {
      fit.refused.set(posting, after)
    } else {
      for (const [walletId, balance] of after) current.set(walletId, balance)
      fit.fitting.push(posting)
    }
  }
  return fit
}

/** The balances after the posting, or the wallet that does not cover it. */
function applyPosting(
  posting: Posting,
  balances: ReadonlyMap<string, Balance>,
): Map<string, Balance> | string {
  const after = new Map<string, Balance>()
  for (const transfer of posting.transfers) {
    const { walletId } = transfer
    if (walletId === undefined) continue
    // A wallet that is not in the map was not short, so the database decides about it.
    const before = after.get(walletId) ?? balances.get(walletId)
    if (before === undefined) continue
    const change = changeOf(transfer)
    const next = {
      available: before.available + change.available,
      held: before.held + change.held,
    }
    if (next.available < 0n || next.held < 0n) return walletId
    after.set(walletId, next)
  }
  return after
}
