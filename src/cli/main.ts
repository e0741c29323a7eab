import { runCommandLine } from './program.ts'

const lingerMs = 500

process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
})
// A connection whose other end does not answer would keep the process; all the work is done.
setTimeout(() => process.exit(), lingerMs).unref()
