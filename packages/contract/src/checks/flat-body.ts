import { z } from 'zod'

/** Fields of a check that do not belong to its type. */
const OF_THE_CHECK = new Set(['agent', 'policy', 'fails_b4_alert', 'run_interval', 'depends_on', 'modified'])

/**
 * A body that also accepts the form of the field's API: settings of the type beside the other fields, the machine as
 * `agent_id`, and a service as `winsvc`. Responses have `settings` and `service`:
 * docs/decisions/0021-check-bodies.md.
 */
export function alsoFlat<Schema extends z.ZodObject>(
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema>> {
  // The schema itself is what is documented; other forms are for other programs.
  return z.preprocess(nest, schema) as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>
}

function nest(body: unknown): unknown {
  if (!isObject(body)) return body
  if (isObject(body['settings'])) return { ...body, settings: rename(body['settings']) }
  if (!('check_type' in body) || 'settings' in body) return body
  const { agent_id, ...rest } = body
  // Beside `agent`, `agent_id` is an unknown field.
  const flat = 'agent' in body ? body : rest
  const parts = (wanted: boolean) =>
    Object.fromEntries(Object.entries(flat).filter(([name]) => OF_THE_CHECK.has(name) === wanted))
  return {
    ...(agent_id === undefined ? {} : { agent: agent_id }),
    ...parts(true),
    settings: rename(parts(false)),
  }
}

function rename(settings: Record<string, unknown>): Record<string, unknown> {
  if (settings['check_type'] !== 'winsvc') return settings
  const { name, ...rest } = settings
  // A service is named by its own name or its display name: another name would be lost.
  const isLost = name !== undefined && name !== rest['svc_name'] && name !== rest['svc_display_name']
  return { ...rest, ...(isLost ? { name } : {}), check_type: 'service' }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
