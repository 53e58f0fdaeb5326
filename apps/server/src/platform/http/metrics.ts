import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics in Prometheus text format. */
export interface Metrics {
  /**
   * Adds a gauge that is collected whenever the metrics are read: `gauge('muster_live_consoles', '...', () =>
   * consoles.size)`.
   */
  gauge(name: `muster_${string}`, help: string, collect: () => number | Promise<number>): void
  /** All metrics as text, with the content type. */
  read(): Promise<{ type: string; text: string }>
}

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const MS_PER_SECOND = 1000

/** Measures every request by route, method and status. */
export function createMetrics(fastify: FastifyInstance): Metrics {
  const registry = new Registry()
  const duration = new Histogram({
    name: 'muster_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  fastify.addHook('onResponse', async (request, reply) => {
    // Routes, not URLs: strangers must not be able to create new series.
    const route = request.routeOptions.url ?? 'none'
    duration.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / MS_PER_SECOND,
    )
  })
  let hasProcess = false
  return {
    gauge: (name, help, collect) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => gauge.set(await collect()),
      })
    },
    read: async () => {
      // Process metrics cost a little, so they start with the first reader.
      if (!hasProcess) collectDefaultMetrics({ register: registry })
      hasProcess = true
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}
