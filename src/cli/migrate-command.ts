import type { Command } from 'commander'
import { migrate, migrationState } from '../db/migrate.ts'
import { CommandError } from './command-error.ts'
import { counted, joinLines } from './layout.ts'
import { leaf } from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  leaf(program, 'migrate', 'Bring the database up to date')
    .option('--status', 'only show what is pending')
    .action((options: AnswerOptions & { status?: boolean }) =>
      terminal.answer({ ...options, asItIs: true }, options.status ? status : apply),
    )
}

async function apply({ db }: Session): Promise<Answer> {
  const { applied } = await migrate(db)
  return {
    text:
      applied.length === 0
        ? 'The database was up to date already.'
        : joinLines([`Applied ${counted(applied.length, 'migration')}:`, ...applied.map(indented)]),
    json: { applied },
  }
}

async function status({ db }: Session): Promise<Answer> {
  const { ready, pending, refusal } = await migrationState(db)
  if (refusal !== undefined) throw new CommandError(refusal)
  return {
    text: ready
      ? 'The database is up to date.'
      : joinLines([
          `${counted(pending.length, 'migration')} pending, which malipo migrate applies:`,
          ...pending.map(indented),
        ]),
    json: { ready, pending },
  }
}

function indented(text: string): string {
  return `  ${text}`
}
