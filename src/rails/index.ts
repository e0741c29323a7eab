import { hkdfSync } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { CallbackMessage } from './rail.ts'
import { createRouting, type Routing } from './routing.ts'
import { createSandboxBench, type SandboxBench } from './sandbox/bench.ts'
import { sendDueCallbacks } from './sandbox/callback-loop.ts'
import { createSandboxRail } from './sandbox/rail.ts'
import { databaseBook } from './sandbox-book.ts'

type Receive = (rail: string, message: CallbackMessage) => Promise<void>

/** The rails of this service. A new rail is one folder and one line here. */
export type Rails = {
  routing: Routing
  /** For those who play the customer in the sandbox. */
  sandboxBench(receive: Receive): SandboxBench
  /** The sandbox rail lives in our process: somebody has to send its callbacks when due. */
  sendSandboxCallbacks(receive: Receive): Promise<void>
}

export function createRails(options: { db: Db; clock: Clock; masterKey: Buffer }): Rails {
  const { db, clock, masterKey } = options
  const name = 'sandbox'
  const book = databaseBook(db)
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'sandbox rail callbacks', 32))
  const sandbox = createSandboxRail({ name, clock, book, secret })
  return {
    routing: createRouting({ sandbox: [sandbox], live: [] }),
    sandboxBench: (receive) => createSandboxBench({ name, clock, book, secret, receive }),
    async sendSandboxCallbacks(receive) {
      while ((await sendDueCallbacks({ name, clock, book, secret, receive })) > 0) {
        // Until none is due: under load they come faster than anybody looks.
      }
    },
  }
}
