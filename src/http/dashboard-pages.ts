import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dashboardSecurity } from './security-headers.ts'

const builtFolder = fileURLToPath(new URL('../../web/dist/', import.meta.url))
const noncePlace = '__NONCE__'
const nonceBytes = 18
const unavailable = 503

/** What begins like this belongs to others: a wrong path there is a mistake, not a page. */
const takenNames = [
  ...['api', 'assets', 'dashboard', 'docs', 'healthz', 'metrics'],
  ...['openapi\\.json', 'rails', 'readyz', 'sandbox/confirm'],
]
const takenPath = new RegExp(`^/(?:${takenNames.join('|')})(?:[/?]|$)`)

const notBuilt = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Malipo</title>
    <link rel="stylesheet" href="/malipo.css" />
    <link rel="icon" href="/mark.svg" type="image/svg+xml" />
  </head>
  <body>
    <main>
      <h1>The dashboard is not built</h1>
      <p class="lead">Build it with <code>node web/build.ts</code> and load this page again.</p>
      <p>The API works without it: see its <a href="/docs">reference</a>.</p>
    </main>
  </body>
</html>
`

/** The files of the dashboard: their names change with their content, so they may be kept. */
export async function registerDashboardPages(app: FastifyInstance): Promise<void> {
  app.get('/', (_request, reply) => sendDashboard(reply))
  await app.register(fastifyStatic, {
    root: `${builtFolder}assets`,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  })
}

/** The pages of the dashboard are drawn in the browser: whichever is asked for, it gets the one. */
export function asksForPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && (headers.accept ?? '').includes('text/html') && !takenPath.test(url)
}

/** Read anew for each answer, so that a dashboard built meanwhile is served without a start. */
export async function sendDashboard(reply: FastifyReply): Promise<FastifyReply> {
  const page = await readFile(`${builtFolder}index.html`, 'utf8').catch(() => undefined)
  reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
  if (page === undefined) return reply.code(unavailable).send(notBuilt)
  const nonce = randomBytes(nonceBytes).toString('base64')
  return reply
    .header('content-security-policy', dashboardSecurity(nonce))
    .send(page.replaceAll(noncePlace, nonce))
}
