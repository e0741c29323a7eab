import type { Writable } from 'node:stream'
import { type Config, readProcessConfig } from '../config.ts'
import { exitCodeOf, ReaderGone, wordsFor } from './command-error.ts'
import { inSession, type Session } from './session.ts'

/** What a command has to say: to people as text, to programs as JSON. */
export type Answer = { text: string; json: unknown; exitCode?: number }
export type AnswerOptions = { json?: boolean; asItIs?: boolean }

/** Where the commands meet the process: its output and its exit code. */
export type Terminal = {
  /** Runs a command on the database and prints its answer. */
  answer(options: AnswerOptions, run: (session: Session) => Promise<Answer>): Promise<void>
  /** The same for a command that needs no database. */
  answerFrom(options: AnswerOptions, run: (config: Config) => Answer): Promise<void>
  /** For a command that judges even the settings itself. */
  report(options: AnswerOptions, run: () => Promise<Answer>): Promise<void>
  /** For answers too long to be held: the lines are printed as they come. */
  stream(run: (session: Session) => AsyncIterable<string>): Promise<void>
  exitCode(): number
}

export type Streams = { out: Writable; err: Writable & { isTTY?: boolean } }

export function createTerminal({ out, err }: Streams): Terminal {
  let exitCode = 0
  // Each write tells its own error; without a listener the same error would end the process.
  out.on('error', () => {})

  function write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      out.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (!error) resolve()
        else reject(error.code === 'EPIPE' ? new ReaderGone() : error)
      })
    })
  }

  async function print(options: AnswerOptions, answer: Answer): Promise<void> {
    exitCode = answer.exitCode ?? 0
    await write(`${options.json ? JSON.stringify(answer.json, null, 2) : answer.text}\n`)
  }

  const onProgress = (sentence: string): void => {
    if (err.isTTY) err.write(`${sentence}\n`)
  }

  /** Every error ends here, as words on the error output and an exit code. */
  function explain(error: unknown, withStack: boolean): void {
    if (error instanceof ReaderGone) return
    exitCode = exitCodeOf(error)
    err.write(`${wordsFor(error, withStack)}\n`)
  }

  async function guarded(run: (config: Config) => Promise<void>): Promise<void> {
    let withStack = false
    try {
      const config = readProcessConfig()
      withStack = config.logLevel === 'debug' || config.logLevel === 'trace'
      await run(config)
    } catch (error) {
      explain(error, withStack)
    }
  }

  return {
    answer: (options, run) =>
      guarded((config) =>
        inSession(config, { onProgress, asItIs: options.asItIs ?? false }, async (session) =>
          print(options, await run(session)),
        ),
      ),
    report: async (options, run) => {
      try {
        await print(options, await run())
      } catch (error) {
        explain(error, false)
      }
    },
    answerFrom: (options, run) => guarded((config) => print(options, run(config))),
    stream: (run) =>
      guarded((config) =>
        inSession(config, { onProgress }, async (session) => {
          for await (const line of run(session)) await write(`${line}\n`)
        }),
      ),
    exitCode: () => exitCode,
  }
}
