import type { Command } from 'commander'
import { type Config, ConfigError, readProcessConfig } from '../config.ts'
import { migrationState } from '../db/migrate.ts'
import { wordsFor } from './command-error.ts'
import { databaseChecks } from './doctor/database.ts'
import { type Check, type Finding, fail } from './doctor/finding.ts'
import { ledgerChecks } from './doctor/ledger.ts'
import { diskFinding, serviceFindings, settingsFindings } from './doctor/machine.ts'
import { workChecks } from './doctor/work.ts'
import { counted, joinLines, printable } from './layout.ts'
import { leaf } from './options.ts'
import { inSession, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  leaf(program, 'doctor', 'Look over the whole installation, and say what to mend').action(
    (options: AnswerOptions) => terminal.report(options, async () => answerOf(await examine())),
  )
}

async function examine(): Promise<Finding[]> {
  let config: Config
  try {
    config = readProcessConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) =>
      fail('configuration', problem, 'docs/config.md lists every setting.'),
    )
  }
  const found = [...settingsFindings(config), diskFinding(config)]
  try {
    found.push(
      ...(await inSession(config, { onProgress: () => {}, asItIs: true }, examineDatabase)),
    )
  } catch (error) {
    const advice = 'Is it running, and does DATABASE_URL name it?'
    found.push(fail('database', wordsFor(error, false), advice))
  }
  return [...found, ...(await serviceFindings(config))]
}

/** What needs the tables is looked at only where they are what this program expects. */
async function examineDatabase(session: Session): Promise<Finding[]> {
  const found = await runAll(session, databaseChecks)
  const { ready } = await migrationState(session.db)
  if (ready) found.push(...(await runAll(session, [...workChecks, ...ledgerChecks])))
  return found
}

async function runAll(session: Session, checks: readonly Check[]): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { what, run } of checks) {
    try {
      found.push(...[await run(session)].flat())
    } catch (error) {
      const words = wordsFor(error, false)
      found.push(fail(what, `could not be looked at: ${words}`, 'See the log of the database.'))
    }
  }
  return found
}

function answerOf(found: readonly Finding[]): Answer {
  const count = (state: Finding['state']) => found.filter((each) => each.state === state).length
  const [failures, warnings] = [count('fail'), count('warn')]
  const verdict =
    failures + warnings === 0
      ? 'Everything is in order.'
      : `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}.`
  return {
    text: joinLines([...found.flatMap(linesOf), verdict]),
    json: { isHealthy: failures === 0, failures, warnings, findings: found },
    exitCode: failures === 0 ? 0 : 1,
  }
}

const whatWidth = 17

function linesOf({ state, what, found, advice }: Finding): string[] {
  const head = `${state.padEnd(4)}  ${what.padEnd(whatWidth)}  ${printable(found)}`
  return advice === undefined ? [head] : [head, `${' '.repeat(whatWidth + 8)}→ ${advice}`]
}
