import type { Static, TSchema } from 'typebox'
import type { AppError, ErrorCode } from '../errors.ts'
import type { Scope } from '../merchants/account.ts'
import type { Access } from '../merchants/tokens.ts'
import type { Dependencies } from './dependencies.ts'
import type { KeptAnswer } from './kept-answer.ts'

/**
 * One operation of the API, told once: the server, the validation, the serialisation and the
 * OpenAPI description are all made from it.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below /api/b2b, and below /api/sandbox/b2b, which mirrors it. */
  path: string
  /** The scope a credential needs, or `none` for the token exchange. */
  auth: Scope | 'none'
  /** Under both prefixes, as all are, but for sandbox tokens only. */
  sandboxOnly?: boolean
  about: { id: string; tag: string; summary: string; description?: string }
  input: { headers?: TSchema; params?: TSchema; query?: TSchema; body?: TSchema }
  output: TSchema
  /** A body and an answer to show. */
  example: { body?: unknown; output: unknown }
  /** The refusals of its own; those every route can give are added in the description. */
  errors: readonly ErrorCode[]
  /** How often a credential may call it in a minute, where that is less than the usual. */
  perMinute?: number
  /** The body of a refusal where the specification has another one than the usual. */
  renderFailure?(error: AppError): object | undefined
  handle(request: RouteRequest, on: Dependencies): Promise<unknown>
}

export type RouteRequest = {
  headers: unknown
  params: unknown
  query: unknown
  body: unknown
  ip: string
  /** Whether it came by the sandbox path. */
  sandboxPath: boolean
  access: Access | undefined
  /** A header of the answer. */
  setHeader(name: string, value: string): void
}

type Part<Schema> = Schema extends TSchema ? Static<Schema> : undefined

type TypedRequest<Auth, Headers, Params, Query, Body> = {
  headers: Part<Headers>
  params: Part<Params>
  query: Part<Query>
  body: Part<Body>
  ip: string
  sandboxPath: boolean
  access: Auth extends 'none' ? undefined : Access
  setHeader(name: string, value: string): void
}

/** Ties the types of a handler to the schemas beside it. */
export function route<
  Auth extends Scope | 'none',
  Output extends TSchema,
  Headers extends TSchema | undefined = undefined,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  definition: Omit<Route, 'auth' | 'input' | 'output' | 'example' | 'handle'> & {
    auth: Auth
    input: { headers?: Headers; params?: Params; query?: Query; body?: Body }
    output: Output
    example: { body?: Part<Body>; output: Static<Output> }
    handle(
      request: TypedRequest<Auth, Headers, Params, Query, Body>,
      on: Dependencies,
    ): Promise<Static<Output> | KeptAnswer>
  },
): Route {
  return definition as unknown as Route
}
