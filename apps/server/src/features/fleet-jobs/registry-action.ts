import type { FoundValue } from '@muster/contract/agent/registry'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import { nameOfRegistryType, showRegistryData } from '@muster/rules/agents/registry-value'
import type { Context } from '../../context.ts'
import type { AgentRequest } from '../agents/request-agent.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { changeRegistry, setValue } from '../remote/registry/routes.ts'
import type { BeforeJob, Keep } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'registry' }>

export interface RegistryBefore {
  path: string
  name: string
  /** Null = it did not exist. */
  value: { type: number; bytes: string } | null
  /** How many keys at the end of the path did not exist. */
  missingKeys: number
}

/** Larger values are not kept. */
const MAX_KEPT_BYTES = 64 * 1024
const MAX_SHOWN = 60

export function describeRegistryAction({ path, name, value }: Action): string {
  const what = name === '' ? 'the default value' : `the value "${name}"`
  if (value === null) return `Delete ${what} of the registry key "${path}"`
  const data = showRegistryData(value.type, Buffer.from(value.bytes, 'base64'))
  const shown = data.length > MAX_SHOWN ? `${data.slice(0, MAX_SHOWN)}...` : data
  return `Set ${what} of the registry key "${path}" to ${value.type} ${shown}`
}

/** Returns what was done, as words. */
export async function actOnRegistry(
  ctx: Context,
  request: AgentRequest,
  { action: { path, name, value }, keep }: { action: Action; keep: Keep },
): Promise<string> {
  const found = await findValue(ctx, request, { path, name })
  const isSet =
    value === null
      ? found.value === null
      : found.value?.bytes === value.bytes && nameOfRegistryType(found.value.type) === value.type
  await keep(keptOf({ path, name }, found), { isSet })
  if (value === null) {
    if (found.value === null) return 'The value did not exist'
    await changeRegistry(ctx, request, { change: 'delete-value', path, name })
    return 'Deleted'
  }
  if (found.missing_keys > 0) await changeRegistry(ctx, request, { change: 'create-key', path })
  const isNew = found.value === null
  await changeRegistry(ctx, request, setValue({ path, name, ...value }, { isNew }))
  return isNew ? 'Added' : 'Changed'
}

export async function restoreRegistry(
  ctx: Context,
  request: AgentRequest,
  { path, name, value, missingKeys }: RegistryBefore,
): Promise<string> {
  const found = await findValue(ctx, request, { path, name })
  if (value !== null) {
    if (found.missing_keys > 0) await changeRegistry(ctx, request, { change: 'create-key', path })
    const type = nameOfRegistryType(value.type)
    const isNew = found.value === null
    await changeRegistry(ctx, request, setValue({ path, name, type, bytes: value.bytes }, { isNew }))
    return 'Restored'
  }
  if (found.value !== null) await changeRegistry(ctx, request, { change: 'delete-value', path, name })
  if (found.missing_keys === 0) await removeEmptyKeys(ctx, request, { path, count: missingKeys })
  return 'Deleted'
}

/** Removes the keys that the job has created, from the last one up, as long as nothing else is in them. */
async function removeEmptyKeys(
  ctx: Context,
  request: AgentRequest,
  { path, count }: { path: string; count: number },
): Promise<void> {
  const agent = await requireAgent(ctx.db, request.agentId, request.caller)
  for (let left = count, key = path; left > 0; left -= 1, key = key.slice(0, key.lastIndexOf('\\'))) {
    const input = { path: key, keys_from: 0, values_from: 0 }
    const order = { input, author: request.caller.username }
    const { key_count, value_count } = await request.fleet.ask(agent, 'read-registry-key', order)
    if (key_count + value_count > 0) return
    await changeRegistry(ctx, request, { change: 'delete-key', path: key })
  }
}

async function findValue(
  ctx: Context,
  { fleet, caller, agentId }: AgentRequest,
  input: { path: string; name: string },
): Promise<FoundValue> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  return fleet.ask(agent, 'find-registry-value', { input, author: caller.username })
}

function keptOf(at: { path: string; name: string }, { value, missing_keys }: FoundValue): BeforeJob {
  if (value === null) return { registry: { ...at, value: null, missingKeys: missing_keys } }
  const { type, size, bytes } = value
  if (bytes === null || size > MAX_KEPT_BYTES)
    return { lost: `The previous value was too large to keep: ${size} bytes.` }
  return { registry: { ...at, value: { type, bytes }, missingKeys: 0 } }
}
