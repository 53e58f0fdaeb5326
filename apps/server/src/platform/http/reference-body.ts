import type { Endpoint } from '@muster/contract/endpoint'
import { REFERENCE_BODIES } from '@muster/contract/reference-fields'
import type { z } from 'zod'

/** Bodies as programs send them that were written for the field's reference: reference-fields.ts. */
export function fieldsWithoutEffect({ method, path }: Endpoint): Record<string, z.ZodType> | undefined {
  return REFERENCE_BODIES.get(`${method} ${path}`)
}

/** Separates fields that are accepted but have no effect. The others are left to the schema of the body. */
export function separate(endpoint: Endpoint, body: unknown): { body: unknown; withoutEffect: string[] } {
  const fields = fieldsWithoutEffect(endpoint)
  if (fields === undefined || !isObject(body)) return { body, withoutEffect: [] }
  const hasNoEffect = (name: string, value: unknown) =>
    Object.hasOwn(fields, name) && fields[name]?.safeParse(value).success === true
  const entries = Object.entries(body)
  return {
    body: Object.fromEntries(entries.filter(([name, value]) => !hasNoEffect(name, value))),
    withoutEffect: entries
      .filter(([name, value]) => hasNoEffect(name, value))
      .map(([name]) => name)
      .sort(),
  }
}

/** Returns a copy in which refused values have the form of the schema, or undefined if none has another form. */
export function adapt(endpoint: Endpoint, body: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (fieldsWithoutEffect(endpoint) === undefined) return undefined
  let adapted = body
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue
    const before = adapted
    adapted = adaptAt(before, issue.path, issue.expected)
    // A flat body has at its top what the schema has inside of an object.
    if (adapted === before) adapted = adaptAt(before, issue.path.slice(1), issue.expected)
  }
  return adapted === body ? undefined : adapted
}

/** Returns the body itself if nothing changes. Copies only what holds the value: the rest may be thousands of levels deep. */
function adaptAt(body: unknown, [name, ...rest]: readonly PropertyKey[], expected: string): unknown {
  if (name === undefined || !isObject(body) || !Object.hasOwn(body, name)) return body
  const before = body[String(name)]
  const after = rest.length === 0 ? adaptValue(before, expected) : adaptAt(before, rest, expected)
  if (after === before) return body
  return Array.isArray(body) ? body.with(Number(name), after) : { ...body, [name]: after }
}

function adaptValue(value: unknown, expected: string): unknown {
  if (value === null && expected === 'string') return ''
  if (value === null && expected === 'array') return []
  return (value === 0 || value === 1) && expected === 'boolean' ? value === 1 : value
}

/** Lists count: their entries have the numbers as names. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
