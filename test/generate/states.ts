import { code, page, table } from './markdown.ts'

/** A table of states and events, and what is to be known about it. */
export type NamedStates = {
  name: string
  source: string
  states: Readonly<Record<string, Readonly<Record<string, string>>>>
  isFinal(state: string): boolean
}

export function statesPage(machines: readonly NamedStates[]): string {
  return page(
    machines.map(({ source }) => source).join(' and '),
    '# States',
    [
      'What can happen in each state, and what becomes of it. The tables are the code: nothing',
      'else decides. A dash means that nothing changes. **no** means that it cannot be true: it',
      'changes nothing either, and is kept for the operator. Money moves where a final state is',
      'entered.',
    ].join('\n'),
    ...machines.flatMap(blocksOf),
  )
}

function blocksOf({ name, states, isFinal }: NamedStates): string[] {
  const events = [...new Set(Object.values(states).flatMap((row) => Object.keys(row)))]
  const rows = Object.entries(states).map(([state, row]) => [
    code(state),
    ...events.map((event) => cellOf(row[event])),
  ])
  const finals = Object.keys(states).filter(isFinal).map(code)
  return [
    `## ${name}`,
    `Final: ${finals.join(', ')}.`,
    table(['State', ...events.map(code)], rows),
    waysOf(states),
  ]
}

function cellOf(step: string | undefined): string {
  if (step === undefined || step === 'stays') return '–'
  return step === 'contradiction' ? '**no**' : code(step)
}

/** The same as lines, for those who look for a way through it. */
function waysOf(states: NamedStates['states']): string {
  const lines = Object.entries(states).flatMap(([state, row]) =>
    Object.entries(row)
      .filter(([, step]) => step in states)
      .map(([event, step]) => `${state.padEnd(10)} ── ${event.padEnd(11)} ──► ${step}`),
  )
  return `\`\`\`\n${lines.join('\n')}\n\`\`\``
}
