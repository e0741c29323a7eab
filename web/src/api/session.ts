import {
  type QueryClient,
  queryOptions,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { ApiError, call, rememberCsrf } from './client.ts'

export type Role = 'owner' | 'finance' | 'developer' | 'viewer'

export type Person = {
  id: string
  email: string
  name: string
  role: Role
  timeZone: string
  totp: boolean
}

export type Session = {
  person: Person
  merchant: { id: string; name: string }
  csrf: string
  environments: string[]
  version: string
}

const keptMs = 5 * 60_000

/** Null when nobody is signed in; any other trouble is thrown. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: keptMs,
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await call<Session>('GET', '/dashboard/session')
      rememberCsrf(session.csrf)
      return session
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

/** A session that has just begun, and nothing of the one before. */
export async function beginSession(client: QueryClient): Promise<void> {
  client.clear()
  await client.fetchQuery(sessionQuery)
}

/** The session of whoever is signed in; only for pages behind the sign-in. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new ApiError(401, 'UNAUTHORIZED', 'You are signed out.')
  return data
}

export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

/** What a role may do, to show or hide; the service decides each time by itself. */
const rights = {
  moveMoney: ['owner', 'finance'],
  develop: ['owner', 'developer'],
  manage: ['owner'],
  readAudit: ['owner', 'finance', 'developer'],
} satisfies Record<string, Role[]>

export type Right = keyof typeof rights

export function useMay(right: Right): boolean {
  const { person } = useSession()
  return (rights[right] as Role[]).includes(person.role)
}
