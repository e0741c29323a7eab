import {
  type ChargeState,
  chargeTable,
  isFinal as isFinalCharge,
} from '../../src/charges/charge.ts'
import { settings } from '../../src/config.ts'
import { type ErrorCode, errorCatalogue } from '../../src/errors.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { routes } from '../../src/http/routes/index.ts'
import { statusOf } from '../../src/http/statuses.ts'
import { chartOfAccounts } from '../../src/ledger/accounts.ts'
import { isFinal, type PayoutState, payoutTable } from '../../src/payouts/payout.ts'
import { readVersion } from '../../src/version.ts'
import type { GeneratedFile } from './files.ts'
import { code, generatedMark, page, table } from './markdown.ts'
import { type NamedStates, statesPage } from './states.ts'

const machines: readonly NamedStates[] = [
  {
    name: 'Payout',
    source: 'src/payouts/payout.ts',
    states: payoutTable,
    isFinal: (state) => isFinal(state as PayoutState),
  },
  {
    name: 'Charge',
    source: 'src/charges/charge.ts',
    states: chargeTable,
    isFinal: (state) => isFinalCharge(state as ChargeState),
  },
]

/** Every file that is made from the code. The schema comes from a migrated database. */
export function generatedFiles(schema: string): GeneratedFile[] {
  return [
    { path: 'openapi.json', text: openApiText() },
    { path: 'schema.sql', text: `-- ${generatedMark('migrations/')}\n\n${schema}` },
    { path: 'docs/config.md', text: configPage() },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/ledger.md', text: ledgerPage() },
    { path: 'docs/states.md', text: statesPage(machines) },
  ]
}

/** JSON has no comments, so the mark is a field of the kind OpenAPI leaves to its users. */
function openApiText(): string {
  const mark = { 'x-generated': generatedMark('src/http/routes/') }
  return `${JSON.stringify({ ...mark, ...openApiDocument(routes, readVersion()) }, null, 2)}\n`
}

function configPage(): string {
  const rows = Object.values(settings).map((setting) => [
    code(setting.variable),
    setting.fallbackText ?? fallbackText(setting.fallback),
    setting.sentence,
  ])
  return page(
    'src/config.ts',
    '# Settings',
    [
      'Every setting is an environment variable, and every one has a default. An empty variable',
      'counts as unset. A start with wrong settings names all problems at once and ends. So does',
      'one with a `MALIPO_` variable that is not in this table.',
    ].join('\n'),
    table(['Variable', 'Default', 'What it does'], rows),
  )
}

function fallbackText(fallback: unknown): string {
  const isEmpty = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)
  return isEmpty ? 'none' : code(String(fallback))
}

function errorsPage(): string {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]
  const rows = codes
    .toSorted((a, b) => statusOf[a] - statusOf[b])
    .map((name) => {
      const { message, retryable } = errorCatalogue[name]
      return [statusOf[name], code(name), message, retryable ? 'yes' : 'no']
    })
  return page(
    'src/errors.ts and src/http/statuses.ts',
    '# Errors',
    [
      'A refusal has this body. Programs read `errorCode`, which does not change; people read',
      '`message`, which may say more than the table.',
    ].join('\n'),
    '```json\n{ "success": false, "message": "There is no such path.", ' +
      '"errorCode": "ROUTE_NOT_FOUND" }\n```',
    [
      '“Retry” says whether the same request may succeed when it is sent again later. Where the',
      'answer has a `Retry-After` header, wait that many seconds.',
    ].join('\n'),
    table(['Status', 'Code', 'Message', 'Retry'], rows),
  )
}

const keepsBalance = (account: string): boolean => account === 'wallet' || account === 'held'

function ledgerPage(): string {
  const rows = Object.entries(chartOfAccounts).map(([account, sentence]) => [
    code(account === 'rail' ? 'rail:<name>' : account),
    sentence,
    keepsBalance(account) ? 'a wallet' : 'the house, per environment and currency',
    keepsBalance(account) ? 'live, never below zero' : 'summed from transfers',
  ])
  return page(
    'src/ledger/accounts.ts',
    '# Chart of accounts',
    [
      'Money moves only by transfers. A transfer takes an amount from its debit account and adds',
      'it to its credit account. The accounts are these, and no others. ARCHITECTURE.md says how',
      'they are kept.',
    ].join('\n'),
    table(['Account', 'What it holds', 'Belongs to', 'Balance'], rows),
  )
}
