import { Command, CommanderError } from 'commander'
import { readVersion } from '../version.ts'
import { addBackupCommands } from './backup-command.ts'
import { asSentence } from './command-error.ts'
import { addConfigCommand } from './config-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addKeyCommands } from './key-commands.ts'
import { addLedgerCommands } from './ledger-commands.ts'
import { addListenCommand } from './listen-command.ts'
import { addMasterKeyCommands } from './master-key-command.ts'
import { addMerchantCommands } from './merchant-commands.ts'
import { addMigrateCommand } from './migrate-command.ts'
import { addPersonCommands } from './person-commands.ts'
import { addRatesCommands } from './rates-commands.ts'
import { addReferenceCommands } from './reference-commands.ts'
import { addSuspenseCommands } from './suspense-commands.ts'
import { createTerminal, type Streams, type Terminal } from './terminal.ts'
import { addWalletCommands } from './wallet-commands.ts'
import { addWebhookCommands } from './webhook-commands.ts'

const examples = `
Examples:
  malipo start
      Start the service with all its parts.
  malipo merchant create --name "Duka Ltd" --first-name Asha --last-name Otieno \\
    --email asha@duka.example
      Create a merchant and show its keys.
  malipo keys rotate pk_live_… --overlap 7d
      Replace a key; the old one goes on for a week.
  malipo person add --merchant asha@duka.example --email asha@duka.example --name Asha
      Let a person into the dashboard; the first one is an owner.
  malipo wallet fund --merchant demo --currency KES --amount 1000
      Put play money into a sandbox wallet.
  malipo ledger check
      Recompute every balance.

Every command has --help and --json. Settings are environment variables:
malipo config shows them.`

const usageExitCode = 2

/** Runs one command line and answers with the exit code. */
export async function runCommandLine(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = createTerminal(streams)
  const program = createProgram(terminal, streams)
  if (args.length === 0) {
    program.outputHelp()
    return 0
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return terminal.exitCode()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : usageExitCode
  }
}

function createProgram(terminal: Terminal, { out, err }: Streams): Command {
  const program = new Command('malipo')
    .description('Malipo collects and pays out money. This is its command line.')
    .usage('<command> [options]')
    .version(readVersion(), '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'Show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: (text, write) => write(`${usageSentence(text)}\n`),
    })
    .addHelpText('after', examples)
  addStartCommand(program)
  addMerchantCommands(program, terminal)
  addKeyCommands(program, terminal)
  addPersonCommands(program, terminal)
  addWalletCommands(program, terminal)
  addWebhookCommands(program, terminal)
  addListenCommand(program, terminal)
  addLedgerCommands(program, terminal)
  addSuspenseCommands(program, terminal)
  addReferenceCommands(program, terminal)
  addRatesCommands(program, terminal)
  addMasterKeyCommands(program, terminal)
  addMigrateCommand(program, terminal)
  addBackupCommands(program, terminal)
  addConfigCommand(program, terminal)
  addDoctorCommand(program, terminal)
  return program
}

function usageSentence(text: string): string {
  const words = text.replace(/^error: /, '').replace(/\s+/g, ' ')
  return asSentence(words)
}

/** Here for the help alone: bin/malipo.js starts the service before this file is read. */
function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('Start the service; --role api or --role worker starts a part')
    .usage('[--role all|api|worker]')
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_options: unknown, command: Command) =>
      command.error('Start the service with npm start, or with npx malipo start'),
    )
}
