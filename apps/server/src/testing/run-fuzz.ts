import type { Endpoint, Method } from '@muster/contract/endpoint'
import { ErrorBody } from '@muster/contract/error-body'
import { ERROR_STATUS } from '@muster/contract/errors'
import { z } from 'zod'
import type { TestClient } from './test-client.ts'
import { createTestServer, type TestServer } from './test-server.ts'
import { addressIn, bodyIn, queryIn } from './test-calls.ts'
import { createWorld, type World } from './test-world.ts'

/**
 * Hostile requests generated from the contract's own schemas: values of the wrong type, huge, deep, negative, with
 * strange characters, missing and unknown ones, in bodies, addresses, queries and headers. The same seed generates the
 * same requests. `npm run fuzz` sends all of them, the server tests some.
 */
export interface FuzzReport {
  requests: number
  endpoints: number
  /** Number of requests by status. */
  statuses: Record<number, number>
  /** Violations: 5xx, a wrong error format, leaked internals. */
  failures: string[]
  p99Ms: number
  slowestMs: number
  slowest: string
}

interface FuzzRequest {
  url: string
  payload?: string
  headers?: Record<string, string>
}

/** Endpoints that share a world, in which each gets few requests. */
const WORLD_ENDPOINTS = 12
const MANY = 40
/** Fields that are never true: the server would run generated programs. */
const NEVER_TRUE = new Set(['enable_server_scripts', 'enable_server_webterminal', 'monitor_server'])
/** The endpoint sends to addresses of its body. The generated ones are on this machine, where nothing listens. */
const CLOSED_URL = 'http://127.0.0.1:1/'

export async function runFuzz({ requests, seed }: { requests: number; seed: number }): Promise<FuzzReport> {
  await using server = await createTestServer()
  // Log lines are part of the report.
  server.expectLog(/./)
  const endpoints = server.app.routes.map(
    ({ method, path, endpoint }) => endpoint ?? plainRoute(method, path),
  )
  const random = createRandom(seed)
  const times: { ms: number; what: string }[] = []
  const report: FuzzReport = {
    requests: 0,
    endpoints: endpoints.length,
    statuses: {},
    failures: [],
    p99Ms: 0,
    slowestMs: 0,
    slowest: '',
  }
  const each = Math.max(1, Math.round(requests / endpoints.length))
  let world = await createWorld(server, 'Fuzz')
  for (const [index, endpoint] of endpoints.entries()) {
    if (index % WORLD_ENDPOINTS === 0 || each > MANY) world = await createWorld(server, `Fuzz ${index}`)
    let client = await newClient(server)
    for (let count = 0; count < each; count += 1) {
      const request = generate(random, endpoint, world)
      const started = performance.now()
      const answer = await client.send({ method: endpoint.method, ...request })
      const what = describe(endpoint, request)
      times.push({ ms: performance.now() - started, what })
      report.requests += 1
      report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
      const failure = OTHER_ANSWERS[endpoint.path] === answer.status ? undefined : judge(answer)
      if (failure !== undefined) report.failures.push(`${what}\n  ${answer.status} ${failure}`)
      // The request ended its own session.
      if (answer.status === 401) client = await newClient(server)
    }
  }
  for (const { level, msg, err } of server.logLines) {
    if (Number(level) >= WARN)
      report.failures.push(`log: ${String(msg)} ${JSON.stringify(err ?? '').slice(0, 1500)}`)
  }
  times.sort((a, b) => a.ms - b.ms)
  report.p99Ms = times[Math.floor(times.length * 0.99)]?.ms ?? 0
  report.slowestMs = times.at(-1)?.ms ?? 0
  report.slowest = times.at(-1)?.what ?? ''
  return report
}

/** A route outside the contract: a download, a socket, a page. */
function plainRoute(method: string, path: string): Endpoint {
  // Routes are mounted for these methods only.
  return { method: method as Method, path, access: 'public', summary: '', response: z.unknown() }
}

async function newClient(server: TestServer): Promise<TestClient> {
  return server.as(await server.given.user({ superuser: true }))
}

/** @returns The problem of a response, or undefined. */
function judge({ status, text }: { status: number; text: string }): string | undefined {
  if (status < 400) return undefined
  if (status >= 500) return text.slice(0, 300)
  const error = ErrorBody.safeParse(parseJson(text))
  if (!error.success) return `no ErrorBody: ${text.slice(0, 300)}`
  if (!(error.data.code in ERROR_STATUS)) return `unknown code: ${error.data.code}`
  if (error.data.detail.length > 500) return `a sentence of ${error.data.detail.length} characters`
  if (/undefined|\[object|\bat .*\.ts:|SQLITE|syntax error at|ZodError/.test(error.data.detail))
    return `internals: ${error.data.detail}`
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function describe({ method, path }: Endpoint, { url, payload, headers }: FuzzRequest): string {
  return `${method} ${path} ${url.slice(0, 200)} ${(payload ?? '').slice(0, 300)} ${JSON.stringify(headers ?? {}).slice(0, 200)}`
}

interface Random {
  /** From 0 to limit - 1. */
  int(limit: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  chance(share: number): boolean
}

/** Mulberry32: small, and the same on every machine. */
function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (limit: number) => Math.floor(next() * limit)
  return {
    int,
    // The index is below the length of a non-empty list.
    pick: (items) => items[int(items.length)]!,
    chance: (share) => next() < share,
  }
}

/** For routes outside the contract: errors as text for machines, and what tests do not build. */
const OTHER_ANSWERS: Record<string, number> = {
  '/agent/install.sh': 403,
  '/agent/install.ps1': 403,
  '/clients/:uid/deploy/': 404,
  '/agent/program.mjs': 503,
  '/agent/launcher.mjs': 503,
  '/docs/': 503,
}
const WARN = 40
const LONG_CHARS = 60_000
const STRINGS = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  'null',
  '../../etc/passwd',
  "'; drop table agents; --",
  '<img src=x onerror=alert(1)>',
  '{{global.x}}{{agent.__proto__}}',
  '\u0000',
  'a\u0000b',
  '\uD800',
  'x\uDC00y',
  '\u202Egnp.exe',
  'Z\u0351\u036B\u0343\u036A',
  '\u{1F469}\u200D\u{1F4BB}',
  '\uFEFF',
  'a|b',
  '%',
  '\\',
  '*'.repeat(300),
  'x'.repeat(LONG_CHARS),
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '1e999',
  CLOSED_URL,
] as const
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  1e308,
  -1e308,
  5e-324,
] as const
const DEPTHS = [50, 2000, 6000, 100_000] as const

const SHAPES: [unknown, ...unknown[]] = [
  [],
  {},
  [null],
  [[[]]],
  { constructor: { prototype: {} } },
  { length: 1e9 },
  { toString: 1 },
]

/** Values that match no schema type, or the wrong one. */
function junk(random: Random): unknown {
  switch (random.int(8)) {
    case 0:
    case 1:
      return random.pick(STRINGS)
    case 2:
    case 3:
      return random.pick(NUMBERS)
    case 4:
      return random.pick([null, true, false])
    case 5:
      return random.pick(SHAPES)
    case 6:
      return Array.from({ length: random.pick([100, 6000]) }, (_, index) => index)
    default:
      // Written out by spellDepths.
      return `@deep:${random.pick(DEPTHS)}`
  }
}

function generate(random: Random, endpoint: Endpoint, world: World): FuzzRequest {
  const url = addressOf(random, endpoint, world)
  if (endpoint.method === 'GET' && endpoint.body === undefined) return { url, headers: headersOf(random) }
  const payload = bodyOf(random, endpoint, world)
  const headers = headersOf(random)
  if (payload === undefined) return { url, headers }
  return { url, payload, headers: { 'content-type': 'application/json', ...headers } }
}

function bodyOf(random: Random, endpoint: Endpoint, world: World): string | undefined {
  if (random.chance(0.05)) return random.pick(['', '{', '[1', 'null', '42', '"x"', '{"a":1e9999}', '\u0000'])
  const good = endpoint.body === undefined ? undefined : bodyIn(world, endpoint)
  if (endpoint.body === undefined && random.chance(0.5)) return undefined
  const base =
    endpoint.body !== undefined && random.chance(0.5)
      ? sample(random, endpoint.body, { world, name: '', depth: 0 })
      : good
  const body = random.chance(0.15) ? base : mutate(random, base)
  const text = JSON.stringify(tamed(body)) as string | undefined
  return text === undefined ? undefined : spellDepths(text)
}

/** Removes harmful values: see NEVER_TRUE. */
function tamed(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map(tamed)
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      NEVER_TRUE.has(name) && value === true ? 'true' : tamed(value),
    ]),
  )
}

/** Levels are written as text, because JSON.stringify cannot nest so deep. */
function spellDepths(text: string): string {
  return text.replaceAll(/"@deep:(\d+)"/g, (_, levels: string) => {
    const count = Number(levels)
    return count % 4 === 0
      ? '['.repeat(count) + ']'.repeat(count)
      : '{"a":'.repeat(count) + '1' + '}'.repeat(count)
  })
}

/** Changes one part of a body: another value, a missing field or an extra one. */
function mutate(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return junk(random)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, junk(random)]
    const index = random.int(value.length)
    return value.with(index, mutate(random, value[index]))
  }
  const entries = Object.entries(value)
  const chosen = entries[random.int(entries.length)]
  if (chosen === undefined || random.chance(0.15)) {
    const name = random.pick([
      'nosuchfield',
      'id',
      'modified',
      '',
      'constructor',
      'x'.repeat(5000),
      '\uD800',
      'a.b',
    ])
    return { ...value, [name]: junk(random) }
  }
  if (random.chance(0.15)) return Object.fromEntries(entries.filter((entry) => entry !== chosen))
  return { ...value, [chosen[0]]: mutate(random, chosen[1]) }
}

interface SampleContext {
  world: World
  /** Name of the field. */
  name: string
  depth: number
}

/** A valid value of a schema, at its limits if it has some. */
function sample(random: Random, schema: z.core.$ZodType, context: SampleContext): unknown {
  const known = knownValue(random, context)
  if (known !== undefined) return known
  // Every zod schema is one of its concrete types. The wider class has no discriminant.
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  const inside = (inner: z.core.$ZodType, name = context.name) =>
    sample(random, inner, { ...context, name, depth: context.depth + 1 })
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, field]) => {
          const value = inside(field, name)
          return value === undefined ? [] : [[name, value]]
        }),
      )
    case 'array':
      return Array.from({ length: random.pick([0, 1, 1, 2, 5]) }, () => inside(def.element))
    case 'union':
      return inside(def.options[random.int(def.options.length)] ?? def.options[0]!)
    case 'literal':
      return def.values[random.int(def.values.length)]
    case 'enum':
      return Object.values(def.entries)[random.int(Object.keys(def.entries).length)]
    case 'optional':
    case 'default':
    case 'prefault':
      return random.chance(0.4) ? undefined : inside(def.innerType)
    case 'nullable':
      return random.chance(0.3) ? null : inside(def.innerType)
    case 'nonoptional':
    case 'readonly':
      return inside(def.innerType)
    case 'pipe':
      return inside((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in)
    case 'boolean':
      return random.chance(0.5)
    case 'number': {
      const { minimum = -1, maximum = 2_147_483_647 } = bag as { minimum?: number; maximum?: number }
      return random.pick([
        minimum,
        maximum,
        minimum + 1,
        Math.min(maximum, minimum + random.int(1000)),
        maximum + 1,
      ])
    }
    case 'string':
      return random.pick(STRINGS)
    default:
      return random.pick(STRINGS)
  }
}

/** Ids that exist, so that more than their absence is tested. */
function knownValue(random: Random, { world, name }: SampleContext): unknown {
  if (random.chance(0.2)) return undefined
  const values: Record<string, unknown> = {
    agent: world.agentId,
    agent_id: world.agentId,
    client: world.clientId,
    site: world.siteId,
    script: world.scriptId,
    policy: world.policyId,
    server_policy: world.policyId,
    alert_template: world.templateId,
    field: world.fieldId,
    custom_field: world.fieldId,
    url: CLOSED_URL,
    api_url: CLOSED_URL,
    smtp_host: '127.0.0.1',
    host: '127.0.0.1',
    time_zone: 'Europe/Zurich',
  }
  if (name === 'name' && random.chance(0.5)) return `Fuzz ${random.int(1e9)}`
  return values[name]
}

const PARTS = [
  '0',
  '-1',
  '1.5',
  'abc',
  '2147483648',
  '9007199254740993',
  '1e3',
  '%00',
  '%2e%2e',
  '%ED%A0%80',
  '%E0%A4%A',
  "1'--",
  'x'.repeat(150),
  'x'.repeat(500),
  '__proto__',
  '%F0%9F%92%A9',
] as const

function addressOf(random: Random, endpoint: Endpoint, world: World): string {
  const path = random.chance(0.2)
    ? endpoint.path.replaceAll(/:\w+/g, () => random.pick(PARTS))
    : addressIn(world, endpoint)
  const good = queryIn(endpoint)
  if (random.chance(endpoint.query === undefined ? 0.9 : 0.3)) return path + good
  const names = endpoint.query instanceof z.ZodObject ? Object.keys(endpoint.query.shape) : []
  const pairs = Array.from({ length: 1 + random.int(3) }, () => {
    const name = names[random.int(names.length)]
    if (name === undefined || random.chance(0.15))
      return random.pick([
        'nosuchname=1',
        '__proto__=1',
        'page[a]=b',
        '%E0%A4%A',
        '=',
        '&&&',
        'page=1&page=2',
      ])
    return `${name}=${queryValue(random)}`
  })
  return `${path}${good === '' ? '?' : `${good}&`}${pairs.join('&')}`
}

function queryValue(random: Random): string {
  const value = random.chance(0.5) ? random.pick(STRINGS).slice(0, 5000) : String(random.pick(NUMBERS))
  return encodeURIComponent(value.toWellFormed())
}

function headersOf(random: Random): Record<string, string> {
  if (random.chance(0.7)) return {}
  // The same key for many bodies: each one but the first is a conflict, or a stored response.
  if (random.chance(0.5)) return { 'idempotency-key': `key-${random.int(1e9)}` }
  return random.pick([
    { 'idempotency-key': '' },
    { 'idempotency-key': 'k'.repeat(500) },
    { 'idempotency-key': '\u00e9\u0001' },
    { 'idempotency-key': 'the same' },
    { authorization: `Token ${'a'.repeat(5000)}` },
    { authorization: 'Token \u00e9' },
    { cookie: `a=${'b'.repeat(5000)}; =; ;;; %00=%00` },
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'text/plain' },
    { 'content-encoding': 'gzip' },
    { accept: ','.repeat(1000) },
    { 'if-none-match': `"${'e'.repeat(4000)}"` },
    { 'x-forwarded-for': "'; drop" },
    { range: 'bytes=-99999999999' },
    { expect: '100-continue' },
  ])
}

if (import.meta.main) {
  const [requests = '20000', seed = '1'] = process.argv.slice(2)
  const started = performance.now()
  const report = await runFuzz({ requests: Number(requests), seed: Number(seed) })
  const { failures, ...figures } = report
  const seconds = Math.round((performance.now() - started) / 1000)
  const summary = JSON.stringify({ ...figures, seconds, failed: failures.length }, null, 2)
  process.stdout.write([summary, ...failures.slice(0, 100), ''].join('\n'))
  process.exitCode = failures.length > 0 ? 1 : 0
}
