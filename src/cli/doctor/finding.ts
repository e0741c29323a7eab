import type { Session } from '../session.ts'

/** What one look at the installation found. */
export type Finding = {
  state: 'ok' | 'warn' | 'fail'
  /** What was looked at. */
  what: string
  found: string
  /** What to do about it. */
  advice?: string
}

/** Something to look at, which needs a database that answers. */
export type Check = {
  what: string
  run(session: Session): Promise<Finding | Finding[]>
}

export const ok = (what: string, found: string): Finding => ({ state: 'ok', what, found })

export const warn = (what: string, found: string, advice: string): Finding => ({
  ...{ state: 'warn', what, found, advice },
})

export const fail = (what: string, found: string, advice: string): Finding => ({
  ...{ state: 'fail', what, found, advice },
})

/** "3 minutes", "2 days": as exact as a person needs it. */
export function ageText(seconds: number): string {
  const units: [string, number][] = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ]
  const [name, size] = units.find(([, size]) => seconds >= size) ?? ['second', 1]
  const count = Math.floor(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
