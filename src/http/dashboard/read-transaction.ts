import Type from 'typebox'
import { AppError } from '../../errors.ts'
import { slotOf } from '../../ids.ts'
import type { PostedTransfer } from '../../ledger/transfers-of.ts'
import { decimalFromMinor } from '../../money/amounts.ts'
import { type History, readHistory } from '../../transactions/history.ts'
import { rowsOf, showRow, type TransactionRow } from '../../transactions/row.ts'
import { timelineOf } from '../../transactions/timeline.ts'
import { type ToldEvent, toldAbout } from '../../webhooks/search.ts'
import { dashboardRoute } from './dashboard-route.ts'
import { answerOf, IdParams, OrNull, Text, TextOrNull, TransactionView } from './view-answers.ts'

const VirtualAccount = Type.Object({
  accountNumber: Text,
  bankName: Text,
  note: Text,
  expiresAt: Text,
})
const Detail = Type.Object({
  ...TransactionView.properties,
  beneficiaryId: TextOrNull,
  exchangeRate: TextOrNull,
  providerReference: TextOrNull,
  stepRequired: TextOrNull,
  redirectUrl: TextOrNull,
  linkedId: TextOrNull,
  reversalId: TextOrNull,
  deadlineAt: TextOrNull,
  virtualAccount: OrNull(VirtualAccount),
})
const Entry = Type.Object({ at: Text, kind: Text, title: Text, detail: Text, tone: Text })
const Transfer = Type.Object({
  step: Text,
  debit: Text,
  credit: Text,
  amount: Text,
  currency: Text,
  at: Text,
  availableAfter: TextOrNull,
  heldAfter: TextOrNull,
})
const Webhook = Type.Object({
  id: Text,
  event: Text,
  sequence: Type.Integer(),
  status: Text,
  attempts: Type.Integer(),
  createdAt: Text,
})

export const readTransaction = dashboardRoute({
  method: 'GET',
  path: '/transactions/:id',
  perAccount: true,
  may: 'signed-in',
  about: { id: 'viewTransaction', summary: 'A transaction and everything that happened to it' },
  input: { params: IdParams },
  output: answerOf(
    Type.Object({
      transaction: Detail,
      timeline: Type.Array(Entry),
      transfers: Type.Array(Transfer),
      webhooks: Type.Array(Webhook),
    }),
  ),
  async handle({ access, params }, { db }) {
    const [row] = slotOf(params.id) === access.slot ? await rowsOf(db, access, [params.id]) : []
    if (!row) throw new AppError('TRANSACTION_NOT_FOUND')
    const [history, told] = await Promise.all([
      readHistory(db, access, row),
      toldAbout(db, access, row.id),
    ])
    const timeline = timelineOf(row, history, told).map(({ at, ...entry }) => ({
      ...{ at: at.toISOString(), ...entry },
    }))
    const data = {
      transaction: showDetail(row, history),
      timeline,
      transfers: history.transfers.map(showTransfer),
      webhooks: told.map(showWebhook),
    }
    return { success: true as const, data }
  },
})

function showDetail(row: TransactionRow, { virtualAccount, reversal }: History) {
  const { beneficiaryId, exchangeRate, providerReference, stepRequired, redirectUrl } = row
  return {
    ...showRow(row),
    ...{ beneficiaryId, exchangeRate, providerReference, stepRequired, redirectUrl },
    linkedId: row.linkedId,
    reversalId: reversal?.id ?? null,
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
    virtualAccount: virtualAccount
      ? {
          accountNumber: virtualAccount.accountNumber,
          bankName: virtualAccount.bankName,
          note: virtualAccount.note,
          expiresAt: virtualAccount.expiresAt.toISOString(),
        }
      : null,
  }
}

function showTransfer(transfer: PostedTransfer) {
  const { step, debit, credit, currency, availableAfter, heldAfter } = transfer
  const decimal = (minor: bigint | null) =>
    minor === null ? null : decimalFromMinor(minor, currency)
  return {
    ...{ step, debit, credit, currency, at: transfer.postedAt.toISOString() },
    amount: decimalFromMinor(transfer.amount, currency),
    availableAfter: decimal(availableAfter),
    heldAfter: decimal(heldAfter),
  }
}

function showWebhook({ id, event, sequence, status, attempts, createdAt }: ToldEvent) {
  return {
    ...{ id, event, sequence, status },
    attempts: attempts.length,
    createdAt: createdAt.toISOString(),
  }
}
