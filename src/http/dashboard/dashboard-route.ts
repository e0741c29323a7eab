import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Access } from '../../merchants/tokens.ts'
import type { Role, SignedIn } from '../../people/person.ts'
import type { Dependencies } from '../dependencies.ts'

/** Who may call it: anyone at all, whoever is signed in, or people of these roles. */
export type May = 'anyone' | 'signed-in' | readonly Role[]

/**
 * One operation of the dashboard. It differs from an operation of the API in who calls it: a
 * person with a session, not a program with a token.
 */
export type DashboardRoute = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below /dashboard/:environment where it is about an account, else below /dashboard. */
  path: string
  perAccount: boolean
  may: May
  about: { id: string; summary: string }
  input: { params?: TSchema; query?: TSchema; body?: TSchema }
  output: TSchema
  /** For the few that take a file. */
  bodyLimitBytes?: number
  /** How often a person, or an address where nobody is signed in, may call it in a minute. */
  perMinute?: number
  handle(request: DashboardRequest, on: Dependencies): Promise<unknown>
}

export type DashboardRequest = {
  params: unknown
  query: unknown
  body: unknown
  ip: string
  userAgent: string
  /** The cookie of the session, for those that end or begin one. */
  sessionToken: string | undefined
  person: SignedIn | undefined
  /** The account of the path, for those that are about one. */
  access: Access | undefined
  setHeader(name: string, value: string): void
}

/** A file to save, made while it is sent. */
export class FileAnswer {
  readonly name: string
  readonly contentType: string
  readonly content: Readable

  constructor(name: string, contentType: string, content: Readable) {
    this.name = name
    this.contentType = contentType
    this.content = content
  }
}

type Part<Schema> = Schema extends TSchema ? Static<Schema> : undefined

type TypedRequest<IsPerAccount, Who, Params, Query, Body> = Omit<
  DashboardRequest,
  'params' | 'query' | 'body' | 'person' | 'access'
> & {
  params: Part<Params>
  query: Part<Query>
  body: Part<Body>
  person: Who extends 'anyone' ? SignedIn | undefined : SignedIn
  access: IsPerAccount extends true ? Access : undefined
}

/** Ties the types of a handler to the schemas beside it. */
export function dashboardRoute<
  IsPerAccount extends boolean,
  Who extends May,
  Output extends TSchema,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  definition: Omit<DashboardRoute, 'perAccount' | 'may' | 'input' | 'output' | 'handle'> & {
    perAccount: IsPerAccount
    may: Who
    input: { params?: Params; query?: Query; body?: Body }
    output: Output
    handle(
      request: TypedRequest<IsPerAccount, Who, Params, Query, Body>,
      on: Dependencies,
    ): Promise<Static<Output> | FileAnswer>
  },
): DashboardRoute {
  return definition as unknown as DashboardRoute
}
