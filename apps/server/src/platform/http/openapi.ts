import type { Endpoint } from '@muster/contract/endpoint'
import type { FastifyInstance } from 'fastify'

/** A route in the API description: an endpoint of the contract, or a route with only a summary. */
export interface DescribedRoute {
  method: string
  /** With `:name` parameters. */
  path: string
  endpoint: Endpoint | undefined
  summary: string | undefined
  /** Keys get another response without X-Muster-Shape. */
  hasReferenceShape?: boolean | undefined
}

/** Collects every route mounted from here on, in order. */
export function collectRoutes(fastify: FastifyInstance): DescribedRoute[] {
  const routes: DescribedRoute[] = []
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (url.includes('*')) return
    for (const name of [method].flat()) {
      if (name === 'HEAD' || name === 'OPTIONS') continue
      routes.push({
        method: name,
        path: url,
        endpoint: config?.endpoint,
        summary: config?.summary,
        hasReferenceShape: config?.hasReferenceShape,
      })
    }
  })
  return routes
}
