import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route, RouteRequest } from './route.ts'

/** The schemas of an operation as the framework takes them. */
export function schemasOf({
  input,
  output,
}: Pick<Route, 'input' | 'output'>): Record<string, unknown> {
  const { headers, params, query, body } = input
  return {
    ...(headers && { headers }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { 200: output },
  }
}

export function asRouteRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  sandboxPath: boolean,
): RouteRequest {
  const { headers, params, query, body, ip, access } = request
  const setHeader = (name: string, value: string) => void reply.header(name, value)
  return { headers, params, query, body, ip, access, sandboxPath, setHeader }
}
