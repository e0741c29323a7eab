import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import { AppError, validationError } from '../errors.ts'
import type { Access } from '../merchants/tokens.ts'
import { authenticate } from './authenticate.ts'
import { hasBrokenText } from './broken-text.ts'
import type { DashboardRoute } from './dashboard/dashboard-route.ts'
import { dashboardRoutes } from './dashboard/index.ts'
import { registerDashboard } from './dashboard/register-dashboard.ts'
import { asksForPage, sendDashboard } from './dashboard-pages.ts'
import type { Dependencies } from './dependencies.ts'
import { KeptAnswer, sendKept } from './kept-answer.ts'
import { observeRequests } from './observe.ts'
import { registerOperational } from './operational.ts'
import { registerPages } from './pages.ts'
import { registerRailCallbacks } from './rail-callbacks.ts'
import { answerBrokenRequest, refuse } from './refuse.ts'
import type { Route } from './route.ts'
import { asRouteRequest, schemasOf } from './route-frame.ts'
import { routes as allRoutes } from './routes/index.ts'
import { registerSandboxPages } from './sandbox-pages.ts'
import { securityHeaders, setSecurityHeaders } from './security-headers.ts'
import { type RequestPart, serializerOf, validationFault, validatorOf } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    access: Access | undefined
  }
}

export const prefixes = { business: '/api/b2b', sandbox: '/api/sandbox/b2b' } as const
export type ServerOptions = {
  operations: boolean
  routes?: readonly Route[]
  views?: readonly DashboardRoute[]
}

const bodyLimitBytes = 1024 * 1024
const maxHeaderBytes = 16 * 1024
const keepAliveMs = 72_000
const maxParamLength = 200
const requestIdShape = /^[\w.:-]{1,64}$/
const minuteMs = 60_000
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const brokenText = 'a text has half a character in it.'
const exposedHeaders = ['x-request-id', 'retry-after']

/** With operations it serves the API; without, only health and metrics, as a worker does. */
export async function createServer(
  on: Dependencies,
  { operations, routes = allRoutes, views = dashboardRoutes }: ServerOptions,
): Promise<FastifyInstance> {
  const { config, ids } = on
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    routerOptions: { maxParamLength, ignoreTrailingSlash: false },
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestIdShape.test(given) ? given : ids.next(0)
    },
    requestIdHeader: false,
    // What Node would refuse by itself gets no body and no request id.
    http: { maxHeaderSize: maxHeaderBytes, requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerBrokenRequest(ids.next(0), error, socket),
    // A request that reaches us while we stop is answered like any other: all is still there.
    return503OnClosing: false,
    // These come before any hook.
    frameworkErrors: (error, request, reply) =>
      void refuse(on, error, request, reply.headers(securityHeaders)),
  })
  app.server.maxConnections = config.maxConnections
  readBodies(app)
  app.decorateRequest('access', undefined)
  app.setErrorHandler((error, request, reply) => refuse(on, error, request, reply))
  app.setNotFoundHandler((request, reply) =>
    operations && asksForPage(request)
      ? sendDashboard(reply)
      : refuse(on, new AppError('ROUTE_NOT_FOUND'), request, reply),
  )
  useSchemas(app)
  observeRequests(app, on)
  // Streams of events have no end of their own, and a stop waits for every answer.
  app.addHook('preClose', () => on.live.close())
  setSecurityHeaders(app)
  readFrames(app)
  if (config.corsOrigins.length > 0) {
    await app.register(cors, { origin: config.corsOrigins, methods, exposedHeaders })
  }
  await app.register(rateLimit, {
    global: false,
    timeWindow: minuteMs,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { ttl }) =>
      new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(ttl / 1000) }),
  })
  registerOperational(app, on)
  if (operations) {
    const limits = limitsOf(app, on)
    for (const route of routes) registerRoute(app, route, on, limits)
    refuseOtherMethods(app, routes)
    await registerDashboard(app, on, { operations: routes, views })
    await registerRailCallbacks(app, on)
    await registerSandboxPages(app, on)
    await registerPages(app)
  }
  return app
}

function readBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  // Some clients always say that they send JSON, also where there is nothing to send.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '' && request.routeOptions.schema?.body === undefined) done(null, undefined)
    else if (hasBrokenText(String(text))) done(validationError(brokenText))
    else void parse(request, String(text), done)
  })
}

/** Judges by ourselves what Node would answer without the form of our answers. */
function readFrames(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const hasHost = request.headers.host !== undefined || request.raw.httpVersion === '1.0'
    done(hasHost ? undefined : validationError('the host header is missing.'))
  })
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
}

function useSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    validatorOf((httpPart ?? 'body') as RequestPart, schema as never),
  )
  app.setSerializerCompiler(({ schema }) => serializerOf(schema as object))
  app.setSchemaErrorFormatter((errors, part) => validationFault(part, errors as never))
}

function registerRoute(app: FastifyInstance, route: Route, on: Dependencies, limits: Limits): void {
  // Of two limits on one request the plugin counts the first, so a route has the one or the other.
  const limit = route.perMinute === undefined ? limits.token : limits.ofRoute(route)
  for (const prefix of Object.values(prefixes)) {
    const sandboxPath = prefix === prefixes.sandbox
    const { auth } = route
    const forSandbox = sandboxPath || route.sandboxOnly === true
    app.route({
      method: route.method,
      url: prefix + route.path,
      schema: schemasOf(route),
      preValidation: auth === 'none' ? limits.exchange : limit,
      ...(auth === 'none'
        ? {}
        : {
            onRequest: async (request: FastifyRequest) => {
              const { authorization } = request.headers
              const asked = { authorization, ip: request.ip, sandboxPath: forSandbox }
              request.access = await authenticate(on.tokens, asked, auth)
            },
          }),
      errorHandler: (error, request, reply) =>
        refuse(on, error, request, reply, route.renderFailure),
      handler: async (request, reply) => {
        const answer = await route.handle(asRouteRequest(request, reply, sandboxPath), on)
        return answer instanceof KeptAnswer ? sendKept(answer, request, reply) : answer
      },
    })
  }
}

type Limit = ReturnType<FastifyInstance['rateLimit']>[]
type Limits = { exchange: Limit; token: Limit; ofRoute(route: Route): Limit }

/**
 * Per credential, over all routes together; the token exchange, which has none yet, per address.
 * A limit given to each route in its own options would count for each route anew.
 */
function limitsOf(app: FastifyInstance, { config }: Dependencies): Limits {
  const limit = (max: number, keyGenerator: (request: FastifyRequest) => string) =>
    max === 0 ? [] : [app.rateLimit({ max, keyGenerator })]
  return {
    exchange: limit(config.tokenRateLimitPerMinute, ({ ip }) => ip),
    token: limit(config.rateLimitPerMinute, ({ access, ip }) => access?.credentialId ?? ip),
    // Where limits are lifted altogether, those of single routes are too.
    ofRoute: ({ perMinute = 0, path }) =>
      limit(
        config.rateLimitPerMinute === 0 ? 0 : perMinute,
        ({ access, ip }) => `${access?.credentialId ?? ip} ${path}`,
      ),
  }
}

/** A known path with another method is a 405 that names those it takes. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const taken = new Map<string, Set<string>>()
  for (const { path, method } of routes) {
    for (const prefix of Object.values(prefixes)) {
      const own = taken.get(prefix + path) ?? new Set()
      taken.set(prefix + path, method === 'GET' ? own.add('GET').add('HEAD') : own.add(method))
    }
  }
  for (const [url, own] of taken) {
    const allow = [...own].join(', ')
    app.route({
      method: methods.filter((method) => !own.has(method)),
      url,
      exposeHeadRoute: false,
      onRequest: async (_request, reply) => {
        reply.header('allow', allow)
        throw new AppError('METHOD_NOT_ALLOWED', { message: `This path takes ${allow}.` })
      },
      handler: async () => undefined,
    })
  }
}
