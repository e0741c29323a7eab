import type { Command } from 'commander'
import { auditBook, type Book, ledgerBook } from '../ledger/seals/book.ts'
import { type Head, headText, parseHead } from '../ledger/seals/chain.ts'
import { loadSealingKeys } from '../ledger/seals/keys.ts'
import { type Problem, type Verification, verifyBook } from '../ledger/seals/verify.ts'
import { readMasterKeys } from '../master-key.ts'
import { CommandError } from './command-error.ts'
import { counted, joinBlocks, joinLines } from './layout.ts'
import { leaf } from './options.ts'
import { openSeal, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type VerifyOptions = AnswerOptions & { head?: string; auditHead?: string }

export function addVerifyCommand(ledger: Command, terminal: Terminal): void {
  leaf(ledger, 'verify', 'Verify the seals over all transfers and the audit log')
    .option('--head <number:hash>', 'also that this head of the ledger, kept elsewhere, is there')
    .option('--audit-head <number:hash>', 'the same for the audit log')
    .action((options: VerifyOptions) =>
      terminal.answer(options, (session) => verify(session, options)),
    )
}

async function verify(session: Session, options: VerifyOptions): Promise<Answer> {
  const kept: [Book, Head | undefined][] = [
    [ledgerBook, keptHead('--head', options.head)],
    [auditBook, keptHead('--audit-head', options.auditHead)],
  ]
  const seal = await openSeal(session)
  const keys = await loadSealingKeys(session.db, seal, readMasterKeys(session.config))
  const found: Verification[] = []
  for (const [book, head] of kept) found.push(await verifyBook(session.db, book, keys, head))
  const isRight = found.every(({ problems }) => problems.length === 0)
  return {
    text: joinBlocks(found.map(verificationText)),
    json: { isRight, books: found.map(verificationJson) },
    exitCode: isRight ? 0 : 1,
  }
}

function keptHead(option: string, text: string | undefined): Head | undefined {
  if (text === undefined) return undefined
  const head = parseHead(text)
  if (head) return head
  throw new CommandError(`${option} must be a head as this command prints it, such as 12:9f86….`)
}

function verificationText(found: Verification): string {
  const { book, seals, verified, unsealed, head, problems } = found
  const rows = counted(verified, book === 'ledger' ? 'transfer' : 'record')
  return joinLines([
    `The ${book}: ${rows} under ${counted(seals, 'seal')}, ${unsealed} not sealed yet.`,
    ...(problems.length === 0
      ? ['Nothing was changed, removed or put in.']
      : [`It was tampered with:`, ...problems.flatMap(problemLines)]),
    ...(found.isCut ? ['There are more problems than these.'] : []),
    ...(head ? [`Head, to be kept elsewhere: ${headText(head)}`] : []),
  ])
}

function problemLines({ seal, what, rows }: Problem): string[] {
  const subject = seal === undefined || /^seals? \d/.test(what) ? '' : `seal ${seal} `
  return [`- ${subject}${what}`, ...rows.map((row) => `    ${row}`)]
}

function verificationJson({ head, problems, ...found }: Verification) {
  return {
    ...found,
    head: head ? headText(head) : null,
    problems: problems.map(({ seal, what, rows }) => ({
      seal: seal?.toString() ?? null,
      what,
      rows,
    })),
  }
}
