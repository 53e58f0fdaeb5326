import { z } from 'zod'

const strictVersions = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/**
 * Returns the same schema, with objects at every depth that refuse unknown fields, and numbers that accept nothing but a
 * number or its decimal digits, where `z.coerce` would read `true`, `[5]` and `0x10`, too.
 */
export function strictSchema<Schema extends z.ZodType>(schema: Schema): Schema {
  // A clone has the class and the types of its original.
  return strict(schema) as Schema
}

function strict(schema: z.core.$ZodType): z.core.$ZodType {
  const known = strictVersions.get(schema)
  if (known !== undefined) return known
  const own = z.core.clone(schema, z.core.util.mergeDefs(schema._zod.def, strictParts(schema)))
  const isCoerced = 'coerce' in schema._zod.def && schema._zod.def.coerce === true
  const made = isCoerced && own instanceof z.ZodNumber ? z.preprocess(readDecimal, own) : own
  strictVersions.set(schema, made)
  return made
}

/** The parts of a definition that contain other schemas, made strict. */
function strictParts(schema: z.core.$ZodType): object {
  // Every zod schema is one of its own types; the wider class has no discriminant.
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const shape = Object.entries(def.shape).map(([name, field]) => [name, strict(field)])
      return { shape: Object.fromEntries(shape), catchall: def.catchall ?? z.never() }
    }
    case 'array':
      return { element: strict(def.element) }
    case 'union':
      return { options: def.options.map(strict) }
    case 'intersection':
      throw new Error('Both parts of an intersection would refuse the fields of the other. Use extend().')
    case 'tuple':
      return { items: def.items.map(strict), rest: def.rest === null ? null : strict(def.rest) }
    case 'record':
    case 'map':
      return { valueType: strict(def.valueType) }
    case 'pipe':
      return { in: strict(def.in), out: strict(def.out) }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
    case 'success':
      return { innerType: strict(def.innerType) }
    case 'number':
      return { coerce: false }
    default:
      return {}
  }
}

function readDecimal(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}
