import { inspect } from 'node:util'
import { ConfigError } from '../config.ts'
import { AppError } from '../errors.ts'

/** Something the person at the terminal can mend: the message tells them what. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** The person, or the system, asked the command to end before it was done. */
export class Interrupted extends Error {
  override name = 'Interrupted'
  readonly exitCode: number
  constructor(signal: string, exitCode: number) {
    super(`Interrupted by ${signal}.`)
    this.exitCode = exitCode
  }
}

/** Whoever reads our output, such as "head", has seen enough. */
export class ReaderGone extends Error {
  override name = 'ReaderGone'
}

export function exitCodeOf(error: unknown): number {
  return error instanceof Interrupted ? error.exitCode : 1
}

/** Refusals name the fields of the API; here the same things are options. */
const optionNames: Readonly<Record<string, string>> = {
  firstName: '--first-name',
  lastName: '--last-name',
  webhookUrl: '--live-url',
  sandboxWebhookUrl: '--sandbox-url',
}

/** What is printed for an error. The stack is for those who asked for it. */
export function wordsFor(error: unknown, withStack: boolean): string {
  if (withStack) return inspect(error)
  if (error instanceof ConfigError) return error.problems.join('\n')
  if (error instanceof CommandError) return error.message
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof AppError)) return asSentence(message || 'Something went wrong')
  return asSentence(
    message.replace(/^Validation error: /, '').replace(/^\w+/, (name) => optionNames[name] ?? name),
  )
}

/** With a capital and a full stop; what is no word of lower case keeps its spelling. */
export function asSentence(text: string): string {
  const trimmed = text.trim()
  const [first = ''] = trimmed.split(/\s/)
  const capitalised = /^[a-z]+$/.test(first)
    ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
    : trimmed
  return /[.!?)"]$/.test(capitalised) ? capitalised : `${capitalised}.`
}
