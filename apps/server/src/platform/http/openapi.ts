import type { Endpoint } from '@muster/contract/endpoint'
import { ErrorBody } from '@muster/contract/error-body'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { strictSchema } from '@muster/contract/strict-schema'
import { fieldsWithoutEffect } from './reference-body.ts'

/** A route in the API description: an endpoint of the contract, or a route with only a summary. */
export interface DescribedRoute {
  method: string
  /** With `:name` parameters. */
  path: string
  endpoint: Endpoint | undefined
  summary: string | undefined
}

/** Collects every route mounted from here on, in order. */
export function collectRoutes(fastify: FastifyInstance): DescribedRoute[] {
  const routes: DescribedRoute[] = []
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (url.includes('*')) return
    for (const name of [method].flat()) {
      if (name === 'HEAD' || name === 'OPTIONS') continue
      routes.push({ method: name, path: url, endpoint: config?.endpoint, summary: config?.summary })
    }
  })
  return routes
}

type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 description from the schemas that validate requests. */
export function describeApi(routes: readonly DescribedRoute[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version,
      description:
        'Instants are ISO 8601 in UTC. Errors are ErrorBody objects. Programs send an API key as X-API-KEY, or as Authorization: Bearer, and X-Muster-Shape: own for the responses described here (docs/api.md). Endpoints without it in their security need a signed-in person.',
    },
    paths,
    components: {
      schemas: { ErrorBody: schemaOf(ErrorBody, 'output') },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Token <token>, together with the cookie that sign-in sets',
        },
        api_key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
      },
    },
  }
}

export function groupOf(path: string): string {
  return path.split('/').find((part) => part !== '' && part !== 'v2') ?? 'server'
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function describeRoute(route: DescribedRoute): Json {
  const { endpoint } = route
  const tags = [groupOf(route.path)]
  if (endpoint === undefined) {
    return { summary: route.summary ?? '', tags, responses: { 200: { description: 'Not JSON' } } }
  }
  const access = endpoint.access
  return {
    summary: endpoint.summary,
    ...describeWithoutEffect(endpoint),
    tags,
    'x-access': access,
    ...(access === 'public'
      ? {}
      : { security: [...(endpoint.needsPerson === true ? [] : [{ api_key: [] }]), { session: [] }] }),
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(endpoint.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: jsonContent(schemaOf(strictSchema(endpoint.body), 'input')),
          },
        }),
    responses: {
      200: { description: 'Done', content: contentOf(endpoint) },
      default: {
        description: 'Refused',
        content: jsonContent({ $ref: '#/components/schemas/ErrorBody' }),
      },
    },
  }
}

function describeWithoutEffect(endpoint: Endpoint): Json {
  const names = Object.keys(fieldsWithoutEffect(endpoint) ?? {})
  return names.length === 0 ? {} : { description: `Also accepted, without effect: ${names.join(', ')}.` }
}

function contentOf(endpoint: Endpoint): Json {
  return endpoint.text === true
    ? { 'text/plain': { schema: { type: 'string' } } }
    : jsonContent(answerOf(endpoint))
}

function answerOf(endpoint: Endpoint): Json {
  const list = schemaOf(endpoint.response, 'output')
  if (endpoint.paged !== true) return list
  const integer = { type: 'integer' }
  const page = {
    type: 'object',
    description: 'With ?page=',
    properties: { total: integer, page: integer, page_size: integer, results: list },
    required: ['total', 'page', 'page_size', 'results'],
  }
  return { oneOf: [list, page] }
}

function parametersOf(schema: z.ZodType | undefined, location: 'path' | 'query'): Json[] {
  if (schema === undefined) return []
  // `params` and `query` of an endpoint are always objects.
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: value,
  }))
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } }
}
