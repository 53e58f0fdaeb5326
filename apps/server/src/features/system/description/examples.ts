import { BODY_EXAMPLES } from '@muster/contract/field-texts/body-examples'
import { findFieldExample } from '@muster/contract/field-texts/field-examples'
import type { FieldRef } from '@muster/contract/field-texts/field-texts'

/** The part of a JSON schema that examples are made from. */
export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  default?: unknown
  examples?: unknown[]
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/** Optional fields in an example. With more, the example would hide what matters. */
const MAX_OPTIONAL = 5

/**
 * Makes a body that `accepts` takes: with some optional fields, with none, or with one of them. Returns undefined if
 * none is accepted.
 */
export function makeExample(schema: JsonSchema, call: string, accepts: (value: unknown) => boolean): unknown {
  const given = BODY_EXAMPLES.get(call)
  if (given !== undefined) return given
  const top = { call, parent: undefined, name: '' }
  const names = Object.keys(schema.properties ?? {})
  const candidates = [
    () => makeValue(schema, top, MAX_OPTIONAL),
    () => makeValue(schema, top, 0),
    ...names.map(
      (name) => () => makeValue({ ...schema, required: [...(schema.required ?? []), name] }, top, 0),
    ),
  ]
  return candidates
    .map((make) => make())
    .find((value) => (names.length === 0 || !isEmpty(value)) && accepts(value))
}

/** Makes the value of one field, such as a parameter. */
export function makeValue(schema: JsonSchema, ref: FieldRef, optional: number): unknown {
  const named = findFieldExample(ref)
  const given = schema.examples?.[0] ?? (named !== undefined && fits(named, schema) ? named : undefined)
  if (given !== undefined) return given
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    const choice = choices.find(({ type }) => type !== 'null')
    if (choice === undefined) return null
    const value = makeValue(choice, ref, optional)
    // Rather no text than one that means nothing.
    return value === NO_TEXT && choices.length > 1 ? null : value
  }
  return makePlain(schema, ref, optional)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The type of a value, apart from null. */
function typeOf({ type }: JsonSchema): string | undefined {
  return Array.isArray(type) ? type.find((name) => name !== 'null') : type
}

function makePlain(schema: JsonSchema, ref: FieldRef, optional: number): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(schema, ref, optional)
    case 'array':
      if (schema.prefixItems !== undefined)
        return schema.prefixItems.map((item) => makeValue(item, ref, optional))
      return schema.items === undefined ? [] : [makeValue(schema.items, ref, optional)]
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1))
    case 'string':
      return makeText(schema)
    case 'null':
      return null
    default:
      return {}
  }
}

function makeObject(schema: JsonSchema, { call, name }: FieldRef, optional: number): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties: rest } = schema
  let left = optional
  const entries = Object.entries(properties).flatMap(([field, value]) => {
    if (!required.includes(field) && left-- <= 0) return []
    return [
      [field, makeValue(value, { call, parent: name === '' ? undefined : name, name: field }, optional)],
    ]
  })
  // A record with a closed list of names.
  const others = required.filter((field) => !Object.hasOwn(properties, field) && typeof rest === 'object')
  const more = others.map((field) => [
    field,
    // Filtered by it.
    makeValue(rest as JsonSchema, { call, parent: name, name: field }, optional),
  ])
  return Object.fromEntries([...entries, ...more]) as Record<string, unknown>
}

/** Where nothing better is known. */
const NO_TEXT = 'Example'

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-11-29T08:30:00.000Z',
  date: '2026-11-29',
  uuid: '6f1c1f0e-3c1b-4d5e-9a7b-2f4c8d9e0a11',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  base64: 'TXVzdGVy',
  base64url: 'TXVzdGVy',
}

function makeText({ format = '', minLength = 0, maxLength = Infinity }: JsonSchema): string {
  const text = BY_FORMAT[format] ?? NO_TEXT
  return text.padEnd(minLength, ' text').slice(0, maxLength)
}

/** Refuses a value by name that has another form here, such as a text where the field is a number. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.some((choice) => fits(value, choice))
  if (schema.const !== undefined) return value === schema.const
  if (schema.enum !== undefined) return schema.enum.includes(value)
  const type = typeOf(schema)
  if (typeof value === 'string') return type === 'string' && fitsText(value, schema)
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (type === 'integer' && !Number.isInteger(value)) return false
    return (type === 'integer' || type === 'number') && value >= minimum && value <= maximum
  }
  if (typeof value === 'boolean') return type === 'boolean'
  const { items } = schema
  if (Array.isArray(value))
    return type === 'array' && value.every((item) => items === undefined || fits(item, items))
  return value === null ? type === 'null' : type === 'object'
}

function fitsText(
  value: string,
  { format, pattern, minLength = 0, maxLength = Infinity }: JsonSchema,
): boolean {
  if (value.length < minLength || value.length > maxLength) return false
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return false
  return format === undefined || pattern !== undefined || format === 'uri' || value === BY_FORMAT[format]
}
