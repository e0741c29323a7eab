import type { Environment } from '../environment.ts'
import type { Direction, Method, Rail, RailRoute } from './rail.ts'

export type RouteQuery = {
  environment: Environment
  direction: Direction
  method: Method
  country: string
  currency: string
  operator: string | null
}

export type RoutedRail = { rail: Rail; route: RailRoute }

/** Which rails can serve a payment, in the order they are to be tried. */
export type Routing = {
  railsFor(query: RouteQuery): readonly RoutedRail[]
  byName(name: string): Rail | undefined
  all(): readonly Rail[]
}

export function createRouting(rails: Record<Environment, readonly Rail[]>): Routing {
  const all = [...new Set([...rails.sandbox, ...rails.live])]
  const byName = new Map(all.map((rail) => [rail.name, rail]))
  if (byName.size !== all.length) throw new Error('two rails have the same name')
  const table = new Map<string, RoutedRail[]>()
  for (const environment of ['sandbox', 'live'] as const) {
    for (const rail of rails[environment]) {
      for (const route of rail.routes) {
        const key = keyOf({ environment, ...route })
        table.set(key, [...(table.get(key) ?? []), { rail, route }])
      }
    }
  }
  return {
    railsFor(query) {
      const routed = table.get(keyOf(query)) ?? []
      const { operator } = query
      return routed.filter(
        ({ route }) =>
          route.operators === undefined ||
          (operator !== null && route.operators.includes(operator.toLowerCase())),
      )
    },
    byName: (name) => byName.get(name),
    all: () => all,
  }
}

function keyOf(query: Omit<RouteQuery, 'operator'>): string {
  const { environment, direction, method, country, currency } = query
  return `${environment} ${direction} ${method} ${country} ${currency}`
}
