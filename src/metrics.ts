import { Registry } from 'prom-client'

export { Counter, Gauge, Histogram } from 'prom-client'

/** One registry per running service, passed to whoever counts something. */
export type Metrics = Registry

export function createMetrics(): Metrics {
  return new Registry()
}

/** Buckets for things that take from a tenth of a millisecond to ten seconds. */
export const secondsBuckets = [
  0.0001, 0.0003, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
