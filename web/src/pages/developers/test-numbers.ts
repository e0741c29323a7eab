import { sandboxStrings } from '../../strings/sandbox.ts'

/** The published behaviour of the sandbox, as its guide has it. */

export const testEndings = Object.entries(sandboxStrings.endings).map(([ending, outcome]) => ({
  ending,
  ...outcome,
}))

export const testCards = Object.entries(sandboxStrings.cards).map(([number, outcome]) => ({
  number,
  outcome,
}))
