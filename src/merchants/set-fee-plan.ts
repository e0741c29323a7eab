import { announceChange } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { feeOf } from '../money/allocation.ts'
import { currency } from '../money/currencies.ts'
import type { Account } from './account.ts'
import { audit } from './audit.ts'
import { type FeeRule, planOf } from './fee-plan.ts'

const maxRules = 100
const kinds: readonly unknown[] = ['payout', 'charge']
const methods: readonly unknown[] = [undefined, 'momo', 'bank', 'card']
const names = new Set([
  ...['kind', 'method', 'currency', 'percentBasisPoints'],
  ...['fixedMinor', 'minMinor', 'maxMinor'],
])

/** Replaces the fee plan of an account. It holds for what is accepted from now on. */
export async function setFeePlan(
  db: Db,
  ids: Ids,
  actor: string,
  account: Account,
  plan: unknown,
): Promise<FeeRule[]> {
  const rules = checkedPlan(plan)
  await transaction(db, async (tx) => {
    await tx`update accounts set fee_plan = ${tx.json(rules)} where id = ${account.id}`
    const detail = { rules: rules.length }
    const about = { subject: account.id, accountId: account.id }
    await audit(tx, ids, { actor, action: 'fees.set', ...about, detail })
    await announceChange(tx, `account:${account.id}`)
  })
  return rules
}

function checkedPlan(plan: unknown): FeeRule[] {
  if (!Array.isArray(plan) || plan.length > maxRules) {
    throw validationError(`a fee plan is a JSON array of at most ${maxRules} rules.`)
  }
  return plan.map((rule, index) => {
    const problem = problemOf(rule)
    if (problem === undefined) return rule as FeeRule
    throw validationError(`rule ${index + 1} of the fee plan ${problem}.`)
  })
}

function problemOf(rule: unknown): string | undefined {
  if (rule === null || typeof rule !== 'object') return 'must be an object'
  const given = rule as Partial<FeeRule>
  const unknown = Object.keys(rule).find((name) => !names.has(name))
  if (unknown !== undefined) return `has no field ${unknown}`
  if (!kinds.includes(given.kind)) return 'needs kind payout or charge'
  if (!methods.includes(given.method)) return 'has method momo, bank or card, or none'
  if (given.currency !== undefined && !currency(given.currency)) return 'has an unknown currency'
  try {
    feeOf(0n, planOf({ percentBasisPoints: 0, fixedMinor: 0, ...given } as FeeRule))
    return undefined
  } catch {
    return 'needs 0 to 10000 percentBasisPoints and whole amounts in minor units, none negative'
  }
}
