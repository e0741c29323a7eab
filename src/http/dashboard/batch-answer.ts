import Type, { type Static } from 'typebox'
import { type Batch, batchStates, lineStates } from '../../batches/batch.ts'
import { amountText } from '../../batches/files.ts'
import type { BatchLine } from '../../batches/lines.ts'
import type { Access } from '../../merchants/tokens.ts'
import { decimalFromMinor } from '../../money/amounts.ts'
import type { SignedIn } from '../../people/person.ts'

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Named = Type.Object({ id: Type.String(), name: Type.String() })
const Count = Type.Integer()

export const BatchState = Type.Enum(batchStates)
export const LineState = Type.Enum(lineStates)
export const BatchParams = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const BatchAnswer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: BatchState,
  createdBy: Named,
  approvedBy: orNull(Named),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  lines: Count,
  valid: Count,
  invalid: Count,
  totals: Type.Array(Type.Object({ currency: Type.String(), count: Count, amount: Type.String() })),
  needsApproval: Type.Boolean(),
  progress: Type.Object({
    accepted: Count,
    refused: Count,
    successful: Count,
    failed: Count,
    pending: Type.Integer({ description: 'Accepted, and not over yet.' }),
  }),
  sameFileAs: orNull(Named),
})

export const OneBatch = Type.Object({ success: Type.Literal(true), data: BatchAnswer })

const LineError = Type.Object({ column: orNull(Type.String()), message: Type.String() })
export const FileError = Type.Object({ line: Count, ...LineError.properties })

export const LineAnswer = Type.Object({
  line: Type.Integer({ description: 'Its number in the file, whose first line is the header.' }),
  reference: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  accountName: Type.String(),
  accountNumber: Type.String(),
  state: LineState,
  errors: Type.Array(LineError),
  transactionId: orNull(Type.String()),
  status: orNull(Type.String()),
  failureReason: orNull(Type.String()),
})

export function showBatch(batch: Batch): Static<typeof BatchAnswer> {
  const { createdAt, updatedAt, totals, accepted, refused, successful, failed, ...rest } = batch
  const pending = accepted - successful - failed
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    totals: totals.map(({ currency, count, amount }) => ({
      ...{ currency, count, amount: decimalFromMinor(amount, currency) },
    })),
    progress: { accepted, refused, successful, failed, pending },
  }
}

export function showLine({ cells, ...line }: BatchLine): Static<typeof LineAnswer> {
  const { currency = '', accountName = '', accountNumber = '' } = cells
  const amount = amountText({ cells, amount: line.amount })
  return { ...line, amount, currency, accountName, accountNumber }
}

export const oneBatch = (batch: Batch): Static<typeof OneBatch> => ({
  success: true,
  data: showBatch(batch),
})

/** The batch of the path, if it is one of the account. */
export const keyOf = ({ slot, accountId }: Access, { id }: { id: string }) => ({
  ...{ slot, accountId, id },
})

export const actorOf = ({ personId, name }: SignedIn) => ({ personId, name })
