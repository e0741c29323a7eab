import { open } from 'node:fs/promises'
import { Argument, type Command } from 'commander'
import { audit } from '../merchants/audit.ts'
import { exportList } from '../reference/export-list.ts'
import { type ImportReport, importList } from '../reference/import-list.ts'
import { importableLists, type ListName, listNames } from '../reference/lists.ts'
import { seedReference } from '../reference/seed.ts'
import { CommandError } from './command-error.ts'
import { counted, joinLines, table } from './layout.ts'
import { leaf } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type ImportOptions = AnswerOptions & { dryRun?: boolean }

export function addReferenceCommands(program: Command, terminal: Terminal): void {
  const reference = program
    .command('reference')
    .description('Show, replace and export banks, branches and operators')

  leaf(reference, 'list', 'Show the lists and where they come from').action(
    (options: AnswerOptions) => terminal.answer(options, list),
  )

  leaf(reference, 'import', 'Replace a list by a CSV file: all of it, or nothing')
    .addArgument(new Argument('<list>', 'which list').choices(importableLists))
    .argument('<file>', 'the file; malipo reference export shows its columns')
    .option('--dry-run', 'check the file and change nothing')
    .action((name: ListName, file: string, options: ImportOptions) =>
      terminal.answer(options, (session) => replace(session, name, file, options)),
    )

  leaf(reference, 'export', 'Print a list as CSV, as an import takes it')
    .addArgument(new Argument('<list>', 'which list').choices(listNames))
    .action((name: ListName, options: AnswerOptions) =>
      terminal.stream((session) => exported(session, name, options)),
    )
}

async function list({ db }: Session): Promise<Answer> {
  await seedReference(db)
  const rows = await db<{ name: string; origin: string; rows: number; updatedAt: Date }[]>`
    select l.name, l.origin, c.rows, l.updated_at as "updatedAt"
    from reference_lists l join (
      select 'countries' as name, count(*)::int as rows from countries
      union all select 'operators', count(*)::int from operators
      union all select 'banks', count(*)::int from banks
      union all select 'branches', count(*)::int from branches
    ) as c on c.name = l.name order by l.name`
  const columns = [
    { title: 'LIST' },
    { title: 'ROWS', align: 'right' as const },
    { title: 'ORIGIN' },
    { title: 'UPDATED' },
  ]
  return {
    text: table(
      columns,
      rows.map((row) => [
        row.name,
        row.rows.toLocaleString('en'),
        row.origin,
        row.updatedAt.toISOString(),
      ]),
    ),
    json: rows,
  }
}

async function replace(
  { db, ids, actor }: Session,
  name: ListName,
  path: string,
  { dryRun = false }: ImportOptions,
): Promise<Answer> {
  // Branches are checked against the banks, which a database that never served has not yet.
  await seedReference(db)
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The file ${path} cannot be read (${error.code}).`)
  })
  try {
    const pieces = file.createReadStream({ autoClose: false })
    const report = await importList(db, name, pieces, {
      dryRun,
      record: async (tx, { lines, added, changed, removed }) => {
        const detail = { lines, added, changed, removed }
        await audit(tx, ids, { actor, action: 'reference.import', subject: name, detail })
      },
    })
    const isRight = report.badCount === 0
    return { text: wordsFor(report, dryRun), json: report, exitCode: isRight ? 0 : 1 }
  } finally {
    await file.close()
  }
}

function wordsFor(report: ImportReport, dryRun: boolean): string {
  const { list, lines, added, changed, removed, badLines, badCount } = report
  if (badCount > 0) {
    const unlisted = badCount - badLines.length
    return joinLines([
      `Nothing was changed: ${counted(badCount, 'problem')} in ${counted(lines, 'line')}.`,
      ...badLines.map(({ line, problem }) => `line ${line}: ${problem}`),
      ...(unlisted > 0 ? [`and ${counted(unlisted, 'problem')} more`] : []),
    ])
  }
  const counts = `${added} added, ${changed} changed, ${removed} removed`
  return dryRun
    ? `The file is right: ${counted(lines, 'line')} of ${list} (${counts}). Nothing was changed.`
    : `The list of ${list} is replaced: ${counted(lines, 'line')} (${counts}).`
}

async function* exported(
  { db }: Session,
  name: ListName,
  { json }: AnswerOptions,
): AsyncGenerator<string> {
  await seedReference(db)
  yield* exportList(db, name, json ? 'json' : 'csv')
}
