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
  if (fieldsWithoutEffect(endpoint) === undefined || issues.length === 0) return undefined
  const adapted: unknown = structuredClone(body)
  let changes = 0
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue
    // A flat body has at its top what the schema has inside of an object.
    if ([issue.path, issue.path.slice(1)].some((path) => adaptAt(adapted, path, issue.expected))) changes += 1
  }
  return changes === 0 ? undefined : adapted
}

function adaptAt(body: unknown, path: readonly PropertyKey[], expected: string): boolean {
  const name = path.at(-1)
  let parent: unknown = body
  for (const key of path.slice(0, -1))
    parent = isObject(parent) && Object.hasOwn(parent, key) ? parent[String(key)] : undefined
  if (name === undefined || !isObject(parent) || !Object.hasOwn(parent, name)) return false
  const value = parent[String(name)]
  if (value === null && expected === 'string') parent[String(name)] = ''
  else if (value === null && expected === 'array') parent[String(name)] = []
  else if ((value === 0 || value === 1) && expected === 'boolean') parent[String(name)] = value === 1
  else return false
  return true
}

/** Lists count: their entries have the numbers as names. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
