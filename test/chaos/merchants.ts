import { systemClock } from '../../src/clock.ts'
import type { Db } from '../../src/db/pool.ts'
import { createIds } from '../../src/ids.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import { createSeal } from '../../src/seal.ts'
import { keysOf } from '../app-harness.ts'

/** A merchant as its own client knows it. */
export type ChaosMerchant = {
  accountId: string
  publicKey: string
  apiKey: string
  webhookSecret: string
}

export async function openMerchants(
  db: Db,
  masterKey: Buffer,
  count: number,
  urlOf: (index: number) => string,
): Promise<ChaosMerchant[]> {
  const ids = createIds(systemClock)
  const seal = createSeal([masterKey])
  const merchants: ChaosMerchant[] = []
  for (let index = 0; index < count; index++) {
    const { sandbox } = await createMerchant(db, ids, seal, 'chaos', {
      ...{ name: `Duka ${index}`, firstName: 'Asha', lastName: 'Otieno' },
      email: `duka-${index}@malipo.example`,
    })
    const { account, webhookSecret } = sandbox
    await db`update accounts set webhook_url = ${urlOf(index)} where id = ${account.id}`
    merchants.push({ accountId: account.id, ...keysOf(sandbox), webhookSecret })
  }
  return merchants
}
