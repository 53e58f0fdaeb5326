import { setImmediate } from 'node:timers/promises'
import type { Endpoint } from '@muster/contract/endpoint'
import { ErrorBody } from '@muster/contract/error-body'
import { findFieldText } from '@muster/contract/field-texts/field-texts'
import { PERMISSION_TEXTS } from '@muster/contract/permission-texts'
import { isPermission } from '@muster/contract/permissions'
import { strictSchema } from '@muster/contract/strict-schema'
import { z } from 'zod'
import { PROOF_MINUTES } from '../../../platform/http/caller.ts'
import type { DescribedRoute } from '../../../platform/http/openapi.ts'
import { fieldsWithoutEffect } from '../../../platform/http/reference-body.ts'
import { type JsonSchema, makeExample, makeValue } from './examples.ts'
import { groupOf, listGroups } from './groups.ts'
import { INTRODUCTION } from './introduction.ts'
import { describeRefusals, refusalsOf } from './refusals.ts'

type Json = Record<string, unknown>

/**
 * Builds the OpenAPI 3.1 description from the schemas that validate requests. Route by route, because all of it takes
 * most of a second.
 */
export async function describeApi(routes: readonly DescribedRoute[], version: string): Promise<Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    await setImmediate()
    const path = toTemplate(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster API', version, description: INTRODUCTION },
    servers: [{ url: '/', description: 'This server' }],
    tags: listGroups(routes.map(({ path }) => path)),
    paths,
    components: {
      schemas: { ErrorBody: schemaOf(ErrorBody, 'output') },
      responses: describeRefusals(),
      parameters: HEADERS,
      securitySchemes: {
        api_key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description: 'An API key. Empty = the session of this browser.',
        },
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'Token <token>, together with the cookie that sign-in sets. Empty = the session of this browser.',
        },
      },
    },
  }
}

const HEADERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Any text, at most 200 characters. A repeated request with the same text happens once.',
    schema: { type: 'string', maxLength: 200 },
  },
  MusterShape: {
    name: 'X-Muster-Shape',
    in: 'header',
    description: 'own = the response described here. Keys get another shape without it.',
    schema: { type: 'string', const: 'own' },
    example: 'own',
  },
}

/** `/clients/:id/` as `/clients/{id}/`. */
function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest as JsonSchema
}

function describeRoute(route: DescribedRoute): Json {
  const { endpoint } = route
  const tags = [groupOf(route.path)]
  if (endpoint === undefined) {
    return {
      summary: route.summary ?? '',
      tags,
      parameters: Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) =>
        describeParameter(
          { call: `${route.method} ${route.path}`, name, in: 'path' },
          { type: 'string' },
          true,
        ),
      ),
      responses: { 200: { description: 'Not JSON' } },
    }
  }
  const { access } = endpoint
  const [title, details] = splitSummary(endpoint.summary)
  return {
    summary: title,
    description: [...(details === undefined ? [] : [details]), describeAccess(endpoint)].join('\n\n'),
    tags,
    'x-access': access,
    security:
      access === 'public'
        ? []
        : [...(endpoint.needsPerson === true ? [] : [{ api_key: [] }]), { session: [] }],
    parameters: [
      ...parametersOf(endpoint, 'path'),
      ...parametersOf(endpoint, 'query'),
      ...headersOf(route, endpoint),
    ],
    ...(endpoint.body === undefined ? {} : { requestBody: describeBody(endpoint, endpoint.body) }),
    responses: {
      200: { description: 'Done', content: contentOf(endpoint) },
      ...refusalsOf(endpoint),
      default: {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
      },
    },
  }
}

/** The first part is a title; the page lists all of them. */
function splitSummary(summary: string): [title: string, details: string | undefined] {
  const [, title, rest] = /^([^;:.(]{12,}?)(?:[;:]|\.(?= )) (.+)$/s.exec(summary) ?? []
  if (title === undefined || rest === undefined) return [summary.replaceAll('`', ''), undefined]
  return [
    title.trim().replaceAll('`', ''),
    `${rest.charAt(0).toUpperCase()}${rest.slice(1)}${rest.endsWith('.') ? '' : '.'}`,
  ]
}

function describeAccess(endpoint: Endpoint): string {
  const { access } = endpoint
  const needs = isPermission(access)
    ? `Permission: ${PERMISSION_TEXTS[access][0]} (\`${access}\`).`
    : access === 'public'
      ? 'Needs no sign-in.'
      : 'Needs a sign-in, and no permission.'
  const withoutEffect = Object.keys(fieldsWithoutEffect(endpoint) ?? {})
  return [
    needs,
    ...(endpoint.needsPerson === true ? ['For signed-in people only: API keys are refused.'] : []),
    ...(endpoint.needsProof === true
      ? [
          `A session is refused as \`proof_needed\` ${PROOF_MINUTES} minutes after its sign-in: confirm it with the password or a code first.`,
        ]
      : []),
    ...(withoutEffect.length === 0 ? [] : [`Also accepted, without effect: ${withoutEffect.join(', ')}.`]),
  ].join(' ')
}

function headersOf({ hasReferenceShape }: DescribedRoute, { method, access }: Endpoint): Json[] {
  return [
    ...(hasReferenceShape === true ? [{ $ref: '#/components/parameters/MusterShape' }] : []),
    ...(method === 'GET' || access === 'public' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
  ]
}

function describeBody(endpoint: Endpoint, body: z.ZodType): Json {
  const strict = strictSchema(body)
  const schema = schemaOf(strict, 'input')
  const call = callOf(endpoint)
  const example = makeExample(schema, call, (value) => strict.safeParse(value).success)
  describeFields(schema, call)
  return {
    required: !strict.safeParse({}).success,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  }
}

function contentOf(endpoint: Endpoint): Json {
  if (endpoint.text === true) return { 'text/plain': { schema: { type: 'string' } } }
  const list = schemaOf(endpoint.response, 'output')
  const call = callOf(endpoint)
  const example = makeValue(list, { call, parent: undefined, name: '' }, 0)
  describeFields(list, call)
  return { 'application/json': { schema: endpoint.paged === true ? listOrPage(list) : list, example } }
}

function listOrPage(list: JsonSchema): Json {
  const count = (description: string) => ({ type: 'integer', description })
  const page = {
    type: 'object',
    title: 'One page, with ?page=',
    properties: {
      total: count('Number of rows of all pages.'),
      page: count('Number of this page.'),
      page_size: count('Rows of a page.'),
      results: { ...list, description: 'Rows of this page.' },
    },
    required: ['total', 'page', 'page_size', 'results'],
  }
  return { oneOf: [{ title: 'The whole list', ...list }, page] }
}

function parametersOf(endpoint: Endpoint, location: 'path' | 'query'): Json[] {
  const schema = location === 'path' ? endpoint.params : endpoint.query
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, value]) => {
    describeFields(value, callOf(endpoint), name)
    return describeParameter(
      { call: callOf(endpoint), name, in: location },
      value,
      location === 'path' || required.includes(name),
    )
  })
}

function describeParameter(
  { call, name, in: location }: { call: string; name: string; in: 'path' | 'query' },
  schema: JsonSchema,
  required: boolean,
): Json {
  const ref = { call, parent: undefined, name }
  const description = schema.description ?? findFieldText(ref)
  return {
    name,
    in: location,
    required,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(required
      ? { example: makeValue(schema, ref, 0) }
      : // The page sends an optional parameter only after it has been ticked.
        { examples: { example: { value: makeValue(schema, ref, 0), 'x-disabled': true } } }),
  }
}

const callOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`

/** Gives the fields of a schema their texts, at every depth. */
function describeFields(schema: JsonSchema, call: string, parent?: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const text = findFieldText({ call, parent, name })
    if (text !== undefined) field.description ??= text
    describeFields(field, call, name)
  }
  const { additionalProperties: rest } = schema
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.prefixItems ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof rest === 'object' ? [rest] : []),
  ]
  for (const part of inner) describeFields(part, call, parent)
}
