import type { Endpoint } from '@muster/contract/endpoint'
import { PROXY_GUIDE_PATH } from '@muster/contract/errors'
import { strictSchema } from '@muster/contract/strict-schema'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import type { JsonSchema } from './description/examples.ts'

interface Content {
  schema: JsonSchema
  example?: unknown
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required: boolean
  description?: string
  example?: unknown
  examples?: { example: { value: unknown } }
}

interface Operation {
  summary?: string
  tags: string[]
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': Content } }
  responses: Record<string, { $ref?: string; content?: { 'application/json'?: Content } }>
}

interface Description {
  openapi: string
  info: { description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

async function readDescription(server: TestServer): Promise<Description> {
  const { body } = await server.anonymous.send({ method: 'GET', url: '/openapi.json' })
  // Validated by the test of the whole file.
  return body as Description
}

/** Each endpoint with its part of the description. */
async function readOperations(server: TestServer) {
  const { paths } = await readDescription(server)
  return server.app.api.mounted.map((endpoint) => {
    const operation = paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
    if (operation === undefined) throw new Error(`${endpoint.method} ${endpoint.path} is not described`)
    return { call: `${endpoint.method} ${endpoint.path}`, endpoint, operation }
  })
}

test('every mounted route is in the description, with a summary', async () => {
  await using server = await createTestServer()
  const { openapi, paths } = await readDescription(server)
  expect(openapi).toBe('3.1.0')
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({
      route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      summary: summary ?? '',
    })),
  )
  expect(server.app.routes.length).toBeGreaterThan(20)
  for (const { method, path } of server.app.routes) {
    expect(described.map(({ route }) => route)).toContain(`${method} ${path}`)
  }
  for (const endpoint of server.app.api.mounted) {
    expect(described.map(({ route }) => route)).toContain(`${endpoint.method} ${endpoint.path}`)
  }
  const wordless = described.filter(({ summary }) => summary === '').map(({ route }) => route)
  expect(wordless).toEqual([])
})

test('the description is valid OpenAPI 3.1, and each reference in it has a target', async () => {
  await using server = await createTestServer()
  const { text, body } = await server.anonymous.send({ method: 'GET', url: '/openapi.json' })
  // Validated next.
  const result = await new Validator().validate(body as Record<string, unknown>)
  expect(result.errors ?? []).toEqual([])
  const references = new Set(Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, target = '']) => target))
  expect(references.size).toBeGreaterThan(5)
  for (const reference of references) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((value, name) => Object.entries(value ?? {}).find(([key]) => key === name)?.[1], body)
    expect(target, reference).toBeDefined()
  }
})

test('every field of a body, a path and a query is described', async () => {
  await using server = await createTestServer()
  const missing = (await readOperations(server)).flatMap(({ call, operation }) => [
    ...listFields(operation.requestBody?.content['application/json'].schema ?? {})
      .filter(({ description }) => description === undefined)
      .map(({ name }) => `${call} body ${name}`),
    ...(operation.parameters ?? [])
      .filter(({ $ref, description }) => $ref === undefined && description === undefined)
      .map((parameter) => `${call} ${parameter.in} ${parameter.name}`),
  ])
  expect(missing).toEqual([])
})

test('no description repeats the name of its field', async () => {
  await using server = await createTestServer()
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const repeated = (await readOperations(server)).flatMap(({ call, operation }) =>
    listFields(operation.requestBody?.content['application/json'].schema ?? {})
      .filter(({ name, description = '' }) => plain(name.split('.').at(-1) ?? '') === plain(description))
      .map(({ name }) => `${call} ${name}`),
  )
  expect(repeated).toEqual([])
})

test('every endpoint has examples that its own schemas accept', async () => {
  await using server = await createTestServer()
  const problems = (await readOperations(server)).flatMap(({ call, endpoint, operation }) =>
    [
      ...(endpoint.body === undefined ? [] : [problemOfBody(endpoint.body, operation)]),
      ...problemsOfParameters(endpoint.params, operation, 'path'),
      ...problemsOfParameters(endpoint.query, operation, 'query'),
      problemOfResponse(endpoint, operation),
    ]
      .filter((problem) => problem !== undefined)
      .map((problem) => `${call}: ${problem}`),
  )
  expect(problems).toEqual([])
})

test('an endpoint lists the refusals that it can answer with', async () => {
  await using server = await createTestServer()
  const operations = await readOperations(server)
  const statusesOf = (call: string) =>
    Object.keys(operations.find((operation) => operation.call === call)?.operation.responses ?? {})
  expect(statusesOf('GET /clients/')).toEqual(expect.arrayContaining(['200', '400', '401', '403', '429']))
  expect(statusesOf('PUT /clients/:id/')).toEqual(
    expect.arrayContaining(['400', '401', '403', '404', '409', '507']),
  )
  expect(statusesOf('GET /health/')).toEqual(['200', 'default'])
  // Signed-in people only: keys get no 429 here.
  expect(statusesOf('PUT /accounts/resetpw/')).not.toContain('429')
})

test('groups have names and texts, and every endpoint is in one', async () => {
  await using server = await createTestServer()
  const { tags } = await readDescription(server)
  const names = tags.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(tags.filter(({ description }) => description === '')).toEqual([])
  const lost = (await readOperations(server)).filter(
    ({ operation }) => !names.includes(operation.tags[0] ?? ''),
  )
  expect(lost).toEqual([])
})

test('the description explains keys, sessions and repeated requests', async () => {
  await using server = await createTestServer()
  const { info } = await readDescription(server)
  for (const word of ['X-API-KEY', 'X-XSRF-TOKEN', 'X-Muster-Shape: own', 'Idempotency-Key', '/openapi.json'])
    expect(info.description).toContain(word)
})

test('the guide for proxies is a page with the settings of four of them, and needs no sign-in', async () => {
  await using server = await createTestServer()
  const { status, headers, text } = await server.anonymous.send({ method: 'GET', url: PROXY_GUIDE_PATH })
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  for (const heading of ['nginx', 'Caddy', 'Apache', 'HAProxy']) expect(text).toContain(`<h2>${heading}</h2>`)
  expect(text).toContain('\n        proxy_set_header Upgrade $http_upgrade;\n')
  expect(text).toContain('<code>MUSTER_TRUSTED_PROXIES</code>')
  // No Markdown is left, and no script.
  expect(text).not.toMatch(/```|^- |^## |\]\(|<script/m)
})

/** All fields of a schema at every depth, with their paths. */
function listFields(schema: JsonSchema, at = ''): { name: string; description: string | undefined }[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name: `${at}${name}`, description: field.description },
    ...listFields(field, `${at}${name}.`),
  ])
  const { anyOf = [], oneOf = [], allOf = [], prefixItems = [], items, additionalProperties: rest } = schema
  const inner = [...anyOf, ...oneOf, ...allOf, ...prefixItems, ...(items === undefined ? [] : [items])]
  const more = typeof rest === 'object' ? [...inner, rest] : inner
  return [...own, ...more.flatMap((part) => listFields(part, at))]
}

function problemOfBody(
  schema: NonNullable<Endpoint['body']>,
  { requestBody }: Operation,
): string | undefined {
  const example = requestBody?.content['application/json'].example
  if (example === undefined) return 'no example of a body'
  if (JSON.stringify(example).includes('"Example'))
    return 'the example of the body has a text without meaning'
  const { error } = strictSchema(schema).safeParse(example)
  return error === undefined ? undefined : `body: ${error.message}`
}

function problemsOfParameters(
  schema: Endpoint['params'],
  { parameters = [] }: Operation,
  location: 'path' | 'query',
): string[] {
  if (schema === undefined) return []
  const own = parameters.filter((parameter) => parameter.in === location)
  // As they arrive in an address.
  const exampleOf = ({ example, examples }: Parameter) => example ?? examples?.example.value
  const textOf = (one: Parameter) => `${exampleOf(one) as string | number | boolean}`
  const required = Object.fromEntries(
    own.filter(({ required }) => required).map((one) => [one.name, textOf(one)]),
  )
  return own.flatMap((one) => {
    const { error } = strictSchema(schema).safeParse({ ...required, [one.name]: textOf(one) })
    if (exampleOf(one) === 'Example') return [`${location} ${one.name}: a text without meaning`]
    return error === undefined ? [] : [`${location} ${one.name}: ${error.message}`]
  })
}

function problemOfResponse({ response, text }: Endpoint, { responses }: Operation): string | undefined {
  if (text === true) return undefined
  const content = responses['200']?.content?.['application/json']
  if (content === undefined || !('example' in content)) return 'no example of a response'
  const { error } = response.safeParse(content.example)
  return error === undefined ? undefined : `response: ${error.message}`
}
