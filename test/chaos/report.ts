import { inspect } from 'node:util'
import type { ChaosReport } from './run.ts'
import { type FaultKind, kills } from './schedule.ts'

const maxShown = 20

/** The figures of a run, and every violation with what is needed to look at it. */
export function printReport(report: ChaosReport, print: (line: string) => void): void {
  const { injected, requests, violations, seconds, checked } = report
  const { requests: sent = 0, cut, repeats } = requests
  print('')
  print(`Load       ${sent} requests in ${seconds} s, ${Math.floor(sent / seconds)} a second`)
  print(`           ${cut} cut off, ${repeats} repeated; ${listed(report.statuses)}`)
  print(`           ${listed(requests)}`)
  print(`Came of it ${report.transactions} transactions, ${report.messages} messages,`)
  print(`           ${report.repeatedMessages} of them again`)
  print(`Kills      ${countKills(report)}`)
  print(`Faults     ${listed(injected.done)}`)
  print(`           nobody there to hit, or not possible here: ${listed(injected.skipped)}`)
  print(`           disk: ${report.volume}; PostgreSQL was started ${report.databaseStarts} times,`)
  print(`           processes ${report.fleet.starts} times, ${report.fleet.failedStarts} in vain`)
  print(`Settled    in ${report.settleSeconds} s`)
  print('Compared')
  for (const [invariant, count] of Object.entries(checked)) {
    print(`${String(count).padStart(10)} ${invariant}`)
  }
  print('')
  print(violations.length === 0 ? 'Nothing lost, nothing doubled.' : 'VIOLATIONS')
  for (const violation of violations.slice(0, maxShown)) {
    print(inspect(violation, { depth: 6, breakLength: 100 }))
  }
  if (violations.length > maxShown) print(`… and ${violations.length - maxShown} more`)
}

export function countKills({ injected }: Pick<ChaosReport, 'injected'>): number {
  return Object.entries(injected.done)
    .filter(([kind]) => kills.has(kind as FaultKind))
    .reduce((sum, [, count]) => sum + count, 0)
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}
