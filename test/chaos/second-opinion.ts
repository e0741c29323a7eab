import type { Db } from '../../src/db/pool.ts'
import { assertBooksAgree } from '../charge-books.ts'
import { runCommand } from '../command-line.ts'
import { assertBooks } from '../payout-world.ts'
import type { Findings } from './violation.ts'

/** The checks that the service and its other tests have, on what is left of the run. */
export async function addOtherChecks(
  { expect }: Findings,
  { db, url, masterKey }: { db: Db; url: string; masterKey: string },
): Promise<void> {
  const settings = { DATABASE_URL: url, MALIPO_MASTER_KEY: masterKey }
  const { code, out, err } = await runCommand(settings, ['ledger', 'check'])
  expect('malipo ledger check finds nothing', code === 0, 'ledger', () => ({ out, err }))
  const books = [
    ['ledger, records and events of payouts agree', () => assertBooks({ db })],
    ['ledger, records, events and suspense of charges agree', () => assertBooksAgree(db)],
  ] as const
  for (const [invariant, agree] of books) {
    const problem = await agree().then(
      () => undefined,
      (error) => String(error),
    )
    expect(invariant, problem === undefined, 'books', () => problem)
  }
}
