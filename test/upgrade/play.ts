import { setTimeout as delay } from 'node:timers/promises'
import type { Keys } from '../app-harness.ts'
import { type Step, steps } from './requests.ts'
import { type Shape, shapeOf } from './shape.ts'

export type Seen = { status: number; shape: Shape }

/** Sends the whole suite to a running service and tells what came back, by the name of the step. */
export async function playRequests(
  url: string,
  keys: Keys,
  { run, pauseMs = 0 }: { run: string; pauseMs?: number },
): Promise<Record<string, Seen>> {
  const known: Record<string, string> = { run, ...keys }
  const seen: Record<string, Seen> = {}
  for (const step of steps) {
    await delay(step.afterMs ?? pauseMs)
    const { status, body } = await send(url, step, known)
    seen[step.name] = { status, shape: shapeOf(body) }
    for (const [name, path] of Object.entries(step.keep ?? {})) known[name] = partOf(body, path)
  }
  return seen
}

async function send(url: string, step: Step, known: Record<string, string>) {
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name) => known[name] ?? whole)
  const body = step.body && fill(JSON.stringify(step.body))
  const headers = {
    ...(known.token ? { authorization: `Bearer ${known.token}` } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...JSON.parse(fill(JSON.stringify(step.headers ?? {}))),
  }
  const request = { method: step.method, headers, ...(body ? { body } : {}) }
  const response = await fetch(`${url}/api${fill(step.path)}`, request)
  return { status: response.status, body: (await response.json()) as unknown }
}

function partOf(body: unknown, path: string): string {
  const part = path.split('.').reduce<unknown>((at, name) => Object(at)[name], body)
  if (typeof part === 'string') return part
  throw new Error(`The answer has no ${path}: ${JSON.stringify(body)}`)
}
