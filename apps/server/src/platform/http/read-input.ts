import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { z } from 'zod'
import { strictSchema } from '@muster/contract/strict-schema'
import { adapt, separate } from './reference-body.ts'

/** Limits for names repeated in a refusal, because they are arbitrary input. */
const MAX_NAMES = 20
const MAX_NAME_CHARS = 100

type Path = readonly PropertyKey[]

/** Parses parameters or a query. An endpoint without a query ignores it on reads and refuses it on writes. */
export function readPart(schema: z.ZodType | undefined, value: unknown, part: 'address' | 'query'): unknown {
  const parsed = parse(schema, value)
  if ('data' in parsed) return parsed.data
  throw refusal(parsed, part)
}

export function refuseQuery(query: unknown): void {
  const names = Object.keys(query ?? {})
  if (names.length > 0) throw refusal({ unknown: names.map((name) => [name]), issues: [] }, 'query')
}

/**
 * Parses a body. An undeclared field is refused by name, so that no write succeeds without effect. A client may send
 * back a whole object as it was read: read-only fields pass if they are unchanged (`readCurrent`), or if they change on
 * their own (`endpoint.volatile`). `withoutEffect` names fields that are accepted for programs of the reference.
 */
export async function readBody(
  endpoint: Endpoint,
  body: unknown,
  readCurrent: () => Promise<unknown>,
): Promise<{ body: unknown; withoutEffect: string[] }> {
  const given = separate(endpoint, body)
  const done = (data: unknown) => ({ body: data, withoutEffect: given.withoutEffect })
  const parsed = parseBody(endpoint, given.body)
  if ('data' in parsed) return done(parsed.data)
  if (endpoint.volatile === undefined || parsed.unknown.length === 0) throw refusal(parsed, 'body')
  const current = await readCurrent()
  const sorted = Object.groupBy(parsed.unknown, (path) =>
    judge(path, given.body, current, endpoint.volatile ?? []),
  )
  const rest = parseBody(endpoint, sorted.same === undefined ? given.body : without(given.body, sorted.same))
  if ('data' in rest) return done(rest.data)
  throw refusal({ ...rest, unknown: sorted.unknown ?? [], readOnly: sorted.readOnly ?? [] }, 'body')
}

function parseBody(endpoint: Endpoint, body: unknown): { data: unknown } | Failure {
  const parsed = parse(endpoint.body, body)
  if ('data' in parsed) return parsed
  const adapted = adapt(endpoint, body, parsed.issues)
  return adapted === undefined ? parsed : parse(endpoint.body, adapted)
}

interface Failure {
  /** Fields that the schema does not declare. */
  unknown: Path[]
  /** Read-only fields that were sent with a changed value. */
  readOnly?: Path[]
  issues: z.core.$ZodIssue[]
}

function parse(schema: z.ZodType | undefined, value: unknown): { data: unknown } | Failure {
  if (schema === undefined) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
    return names.length === 0 ? { data: undefined } : { unknown: names.map((name) => [name]), issues: [] }
  }
  const parsed = strictSchema(schema).safeParse(value ?? {}, { error: describeIssue })
  if (parsed.success) return { data: parsed.data }
  const unknown: Path[] = []
  const issues: z.core.$ZodIssue[] = []
  for (const issue of flatten(parsed.error.issues, [])) {
    if (issue.code !== 'unrecognized_keys') issues.push(issue)
    else for (const key of issue.keys) unknown.push([...issue.path, key])
  }
  return { unknown, issues }
}

/** If one form of a union fits except for unknown fields, its issues are reported instead of those of all forms. */
function* flatten(issues: z.core.$ZodIssue[], at: Path): Generator<z.core.$ZodIssue> {
  for (const issue of issues) {
    const path = [...at, ...issue.path]
    const nearest =
      issue.code === 'invalid_union'
        ? issue.errors.find((errors) => errors.length > 0 && errors.every(isAboutUnknown))
        : undefined
    if (nearest === undefined) yield { ...issue, path }
    else yield* flatten(nearest, path)
  }
}

function isAboutUnknown(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union') return issue.errors.some((errors) => errors.every(isAboutUnknown))
  return issue.code === 'unrecognized_keys'
}

function judge(
  path: Path,
  body: unknown,
  current: unknown,
  volatile: readonly string[],
): 'same' | 'readOnly' | 'unknown' {
  const [first, ...rest] = path
  let found = valueAt(current, path, body)
  let name = first
  if (found === undefined && first !== undefined && rest.length > 0) {
    // Some bodies wrap the object: `{client: {name}}`.
    found = valueAt(current, rest, ownValue(body, first))
    name = rest[0]
  }
  if (found === undefined) return 'unknown'
  if (volatile.includes(String(name)) || isDeepStrictEqual(found, valueAt(body, path))) return 'same'
  return 'readOnly'
}

/** Returns the value at a path, or undefined. List entries with an id are matched by it. */
function valueAt(value: unknown, path: Path, like?: unknown): unknown {
  let found = value
  let pattern = like
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    pattern = ownValue(pattern, key)
    const id = ownValue(pattern, 'id')
    found =
      Array.isArray(found) && id !== undefined
        ? found.find((entry: unknown) => ownValue(entry, 'id') === id)
        : ownValue(found, key)
  }
  return found
}

function ownValue(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.getOwnPropertyDescriptor(value, key)?.value
}

/** Returns the body without the fields at these paths. Copies only the objects that contain them. */
function without(body: unknown, paths: readonly Path[]): unknown {
  return paths.reduce<unknown>((rest, path) => withoutOne(rest, path), body)
}

function withoutOne(value: unknown, [name, ...rest]: Path): unknown {
  if (typeof value !== 'object' || value === null || name === undefined) return value
  if (Array.isArray(value)) return value.with(Number(name), withoutOne(value[Number(name)], rest))
  if (rest.length === 0)
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== String(name)))
  return { ...value, [name]: withoutOne(ownValue(value, name), rest) }
}

function refusal({ unknown, readOnly = [], issues }: Failure, part: 'address' | 'query' | 'body'): AppError {
  // Without a prototype: a field may be named `__proto__`.
  const fields = Object.create(null) as Record<string, string[]>
  const note = (path: Path, sentence: string) => (fields[nameOf(path)] ??= []).push(sentence)
  const noun = part === 'query' ? 'query parameter' : 'field'
  for (const path of unknown.slice(0, MAX_NAMES)) note(path, `Unknown ${noun}: ${nameOf(path.slice(-1))}`)
  for (const path of readOnly.slice(0, MAX_NAMES)) note(path, `Read-only field: ${nameOf(path.slice(-1))}`)
  for (const issue of issues) note(issue.path, issue.message)
  const refused = unknown.length + readOnly.length
  if (refused > 0) {
    const [sentence = ''] = Object.values(fields)[0] ?? []
    return new AppError('invalid', refused === 1 ? sentence : `${sentence} (and ${refused - 1} more)`, {
      fields,
    })
  }
  const [first] = issues
  const where = first === undefined || first.path.length === 0 ? `The ${part}` : `"${nameOf(first.path)}"`
  return new AppError('invalid', `${where} is not valid: ${first?.message ?? 'unreadable'}`, { fields })
}

function nameOf(path: Path): string {
  return path.map((key) => String(key).slice(0, MAX_NAME_CHARS)).join('.')
}

type Issue = z.core.$ZodRawIssue

const KINDS: Record<string, string> = {
  string: 'Enter a text.',
  number: 'Enter a number.',
  int: 'Enter a whole number.',
  boolean: 'Enter true or false.',
  array: 'Enter a list.',
  object: 'Enter an object with fields.',
  record: 'Enter an object with fields.',
  null: 'Leave this empty.',
}

/** Describes an issue for users. Messages of the contract take precedence. */
function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.'
      return KINDS[issue.expected]
    case 'too_small':
      return sizeText('At least', issue.origin, issue.minimum)
    case 'too_big':
      return sizeText('At most', issue.origin, issue.maximum)
    case 'invalid_value':
      return `Choose one of: ${issue.values.map(String).join(', ')}.`
    case 'invalid_union':
      return 'This value has none of the supported forms.'
    case 'invalid_format':
      return 'This value has the wrong format.'
    default:
      return undefined
  }
}

function sizeText(start: string, origin: string, limit: number | bigint): string {
  if (origin === 'string') return `${start} ${limit} characters.`
  if (origin === 'array' || origin === 'set') return `${start} ${limit} entries.`
  return `${start} ${limit}.`
}
