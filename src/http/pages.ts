import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { readVersion } from '../version.ts'
import { registerDashboardPages } from './dashboard-pages.ts'
import { openApiDocument } from './openapi.ts'
import { routes } from './routes/index.ts'

const publicFolder = fileURLToPath(new URL('../../web/public/', import.meta.url))

/** The reference builds its page with inline styles; scripts and requests stay with us. */
const docsSecurity = {
  'default-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'object-src': ["'none'"],
}

/** The dashboard, the description of the API, and its reference to click through. */
export async function registerPages(app: FastifyInstance): Promise<void> {
  const document = openApiDocument(routes, readVersion())
  app.get('/openapi.json', async () => document)
  // A route for each file and none for all, so that an unknown path is nobody's but ours to answer.
  await app.register(fastifyStatic, { root: publicFolder, index: false, wildcard: false })
  await registerDashboardPages(app)
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsSecurity,
    theme: {
      title: 'Malipo API reference',
      css: [{ filename: 'malipo.css', content: await readFile(`${publicFolder}docs.css`, 'utf8') }],
    },
    uiConfig: {
      deepLinking: true,
      docExpansion: 'list',
      persistAuthorization: false,
      validatorUrl: null,
    },
  })
}
