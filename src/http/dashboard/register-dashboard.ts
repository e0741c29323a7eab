import { fastifyCookie } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../../environment.ts'
import { actorOf, audit } from '../../merchants/audit.ts'
import type { Access } from '../../merchants/tokens.ts'
import { scopesOf } from '../../people/access.ts'
import { roles, type SignedIn } from '../../people/person.ts'
import type { Dependencies } from '../dependencies.ts'
import { KeptAnswer, sendKept } from '../kept-answer.ts'
import type { Route } from '../route.ts'
import { asRouteRequest, schemasOf } from '../route-frame.ts'
import { authenticatePerson } from './authenticate-person.ts'
import {
  type DashboardRequest,
  type DashboardRoute,
  FileAnswer,
  type May,
} from './dashboard-route.ts'
import { cookieName } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    person: SignedIn | undefined
  }
}

export const dashboardPrefix = '/dashboard'
export const environments: readonly Environment[] = ['sandbox', 'live']
/** They write what they change into the audit log themselves, in the commit that changes it. */
const selfRecording: ReadonlySet<string> = new Set(['setWebhookUrls', 'rotateWebhookSecret'])

type Tables = { operations: readonly Route[]; views: readonly DashboardRoute[] }

/**
 * Mounts what the dashboard calls: its own operations, and those of the API for people with a
 * session. All of it is in a scope of its own, so that calls with a token know nothing of cookies.
 */
export async function registerDashboard(
  app: FastifyInstance,
  on: Dependencies,
  { operations, views }: Tables,
): Promise<void> {
  await app.register((scope, _options, done) => {
    void scope.register(fastifyCookie)
    scope.decorateRequest('person', undefined)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    const limits = limitsOf(scope, on)
    for (const view of views) registerView(scope, view, on, limits)
    for (const operation of operations) registerOperation(scope, operation, on, limits)
    done()
  })
}

/** Where a route of the dashboard is found, with the account each place is about. */
export function placesOf({
  perAccount,
  path,
}: Pick<DashboardRoute, 'perAccount' | 'path'>): { url: string; environment?: Environment }[] {
  return perAccount
    ? environments.map((environment) => ({
        ...{ environment, url: `${dashboardPrefix}/${environment}${path}` },
      }))
    : [{ url: dashboardPrefix + path }]
}

/** Where an operation of the API is found. Its token exchange is for programs only. */
export function sessionPlacesOf({
  auth,
  path,
  sandboxOnly,
}: Pick<Route, 'auth' | 'path' | 'sandboxOnly'>): {
  url: string
  environment: Environment
  may: May
}[] {
  if (auth === 'none') return []
  return environments
    .filter((environment) => environment === 'sandbox' || sandboxOnly !== true)
    .map((environment) => ({
      environment,
      url: `${dashboardPrefix}/${environment}/b2b${path}`,
      may: roles.filter((role) => scopesOf[role][environment].has(auth)),
    }))
}

function registerView(
  scope: FastifyInstance,
  view: DashboardRoute,
  on: Dependencies,
  limits: Limits,
): void {
  for (const { url, environment } of placesOf(view)) {
    scope.route({
      method: view.method,
      url,
      exposeHeadRoute: false,
      schema: schemasOf(view),
      ...(view.bodyLimitBytes === undefined ? {} : { bodyLimit: view.bodyLimitBytes }),
      onRequest: (request) => admit(on, request, view.may, environment),
      preValidation: limits.of(view.perMinute, url),
      handler: async (request, reply) => {
        const answer = await view.handle(asDashboardRequest(request, reply), on)
        return answer instanceof FileAnswer ? sendFile(answer, reply) : answer
      },
    })
  }
}

/** Answers are those of the API. Refusals always have the usual form here, so pages know one. */
function registerOperation(
  scope: FastifyInstance,
  operation: Route,
  on: Dependencies,
  limits: Limits,
): void {
  for (const { url, environment, may } of sessionPlacesOf(operation)) {
    scope.route({
      method: operation.method,
      url,
      exposeHeadRoute: false,
      schema: schemasOf(operation),
      onRequest: (request) => admit(on, request, may, environment),
      preValidation: limits.of(operation.perMinute, url),
      handler: async (request, reply) => {
        await recordRequest(on, operation, request)
        const sandboxPath = environment === 'sandbox'
        const answer = await operation.handle(asRouteRequest(request, reply, sandboxPath), on)
        return answer instanceof KeptAnswer ? sendKept(answer, request, reply) : answer
      },
    })
  }
}

async function admit(
  on: Dependencies,
  request: FastifyRequest,
  may: May,
  environment: Environment | undefined,
): Promise<void> {
  const { method, headers } = request
  const sessionToken = request.cookies[cookieName]
  request.person = await authenticatePerson(on, { method, headers, sessionToken }, may)
  if (environment && request.person) {
    request.access = await on.people.accessOf(request.person, environment)
  }
}

/**
 * What a person asks for is on record before it is done, so that nothing is done without a record.
 * What became of it stands in the record of the thing itself.
 */
async function recordRequest(
  { db, ids }: Dependencies,
  { method, about, path }: Route,
  request: FastifyRequest,
): Promise<void> {
  if (method === 'GET' || selfRecording.has(about.id)) return
  const { accountId, environment, ...rest } = request.access as Access
  const named = Object.values((request.params ?? {}) as Record<string, string>)[0]
  const given = (request.body as { externalReference?: unknown } | undefined)?.externalReference
  const subject = named ?? (typeof given === 'string' ? given : path)
  await audit(db, ids, {
    ...{ actor: actorOf(rest), action: `request.${about.id}`, subject, accountId },
    detail: { environment },
  })
}

function asDashboardRequest(request: FastifyRequest, reply: FastifyReply): DashboardRequest {
  const { params, query, body, ip, person, access } = request
  return {
    ...{ params, query, body, ip, person, access },
    userAgent: String(request.headers['user-agent'] ?? ''),
    sessionToken: request.cookies[cookieName],
    setHeader: (name, value) => void reply.header(name, value),
  }
}

/** A file without a name is not one to save: a stream of events. */
function sendFile({ name, contentType, content }: FileAnswer, reply: FastifyReply): FastifyReply {
  if (name !== '') reply.header('content-disposition', `attachment; filename="${name}"`)
  return reply.type(contentType).send(content)
}

type Limit = ReturnType<FastifyInstance['rateLimit']>[]
type Limits = { of(perMinute: number | undefined, url: string): Limit }

/** Per person, or per address where nobody is signed in; over all routes or of a route's own. */
function limitsOf(scope: FastifyInstance, { config }: Dependencies): Limits {
  const isLifted = config.rateLimitPerMinute === 0
  const who = ({ person, ip }: FastifyRequest) => person?.personId ?? ip
  const shared = isLifted
    ? []
    : [scope.rateLimit({ max: config.rateLimitPerMinute, keyGenerator: who })]
  return {
    of: (perMinute, url) =>
      perMinute === undefined || isLifted
        ? shared
        : [
            scope.rateLimit({
              max: perMinute,
              keyGenerator: (request) => `${who(request)} ${url}`,
            }),
          ],
  }
}
