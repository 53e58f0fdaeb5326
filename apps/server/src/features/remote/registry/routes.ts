import type { RegistryChange, RegistryPage } from '@muster/contract/agent/registry'
import {
  createRegistryKey,
  createRegistryValue,
  deleteRegistryKey,
  deleteRegistryValue,
  listRegistry,
  modifyRegistryValue,
  readRegistryValue,
  type RegistryListing,
  renameRegistryKey,
  renameRegistryValue,
} from '@muster/contract/api/registry'
import { AppError } from '@muster/contract/errors'
import {
  nameOfRegistryType,
  numberOfRegistryType,
  showRegistryData,
} from '@muster/rules/agents/registry-value'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { checkMfa } from '../check-mfa.ts'
import { type AgentRequest, requestAgent } from '../../agents/request-agent.ts'

/** The registry of Windows machines. If the role says so, a code is required before any access. */
export function registryRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const change = (agentId: string, caller: Caller, wanted: RegistryChange) => {
    refuseWithoutCode(ctx, caller)
    return changeRegistry(ctx, { fleet, caller, agentId }, wanted)
  }

  route(api, listRegistry, async ({ params, query, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    refuseWithoutCode(ctx, caller)
    const order = { input: query, author: caller.username }
    return viewRegistryPage(await fleet.ask(agent, 'read-registry-key', order))
  })
  route(api, readRegistryValue, async ({ params, query, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    refuseWithoutCode(ctx, caller)
    const order = { input: query, author: caller.username }
    const value = await fleet.ask(agent, 'read-registry-value', order)
    return { ...viewData(value), bytes: value.bytes }
  })
  route(api, createRegistryKey, ({ params, body, caller }) =>
    change(params.agent_id, caller, { change: 'create-key', ...body }),
  )
  route(api, renameRegistryKey, ({ params, body, caller }) =>
    change(params.agent_id, caller, { change: 'rename-key', ...body }),
  )
  route(api, deleteRegistryKey, ({ params, query, caller }) =>
    change(params.agent_id, caller, { change: 'delete-key', ...query }),
  )
  route(api, createRegistryValue, ({ params, body, caller }) =>
    change(params.agent_id, caller, setValue(body, { isNew: true })),
  )
  route(api, modifyRegistryValue, ({ params, body, caller }) =>
    change(params.agent_id, caller, setValue(body, { isNew: false })),
  )
  route(api, renameRegistryValue, ({ params, body: { path, old_name, new_name }, caller }) =>
    change(params.agent_id, caller, { change: 'rename-value', path, name: old_name, new_name }),
  )
  route(api, deleteRegistryValue, ({ params, query, caller }) =>
    change(params.agent_id, caller, { change: 'delete-value', ...query }),
  )
}

/** The change that writes a value, by the name of its type. */
export function setValue(
  { path, name, type, bytes }: { path: string; name: string; type: string; bytes: string },
  { isNew }: { isNew: boolean },
): RegistryChange {
  // The contract accepts only known names.
  return { change: 'set-value', path, name, type: numberOfRegistryType(type) ?? 0, bytes, is_new: isNew }
}

/** Throws if the role requires a second factor that the session has not given. */
export function refuseWithoutCode(ctx: Context, caller: Caller): void {
  const { session, apiKey } = caller
  if (apiKey?.needsCode === true)
    throw new AppError(
      'not_allowed',
      'The role requires a code before the registry is opened, which API keys cannot give.',
    )
  const needed = session === undefined ? undefined : checkMfa({ session }, 'registry', ctx.now())
  if (needed === undefined) return
  throw new AppError(needed.code === 'code_needed' ? 'code_needed' : 'not_allowed', needed.message)
}

/** Maximum of an old and new value in audit rows. */
const MAX_KEPT = 2000

/** Changes the registry of a machine, with an audit row that has the previous value. */
export async function changeRegistry(
  ctx: Context,
  asking: AgentRequest,
  change: RegistryChange,
): Promise<{ path: string }> {
  await requestAgent(ctx, asking, {
    name: 'change-registry',
    input: change,
    action: ACTIONS[change.change],
    object_type: 'registry',
    describe: () => describe(change),
    before: (answer) => {
      const was = answer?.before
      return was === null || was === undefined ? undefined : keep(viewData(was))
    },
    keep: () => describeAfter(change),
  })
  return { path: change.path }
}

const ACTIONS = {
  'create-key': 'add',
  'rename-key': 'modify',
  'delete-key': 'delete',
  'set-value': 'modify',
  'rename-value': 'modify',
  'delete-value': 'delete',
} as const satisfies Record<RegistryChange['change'], string>

function describe(change: RegistryChange): string {
  const { path } = change
  switch (change.change) {
    case 'create-key':
      return `Created the registry key "${path}"`
    case 'rename-key':
      return `Renamed the registry key "${path}" to "${change.new_name}"`
    case 'delete-key':
      return `Deleted the registry key "${path}" and everything below it`
    case 'set-value':
      return `${change.is_new ? 'Added' : 'Changed'} ${nameOf(change.name)} of the registry key "${path}"`
    case 'rename-value':
      return `Renamed ${nameOf(change.name)} of the registry key "${path}" to "${change.new_name}"`
    case 'delete-value':
      return `Deleted ${nameOf(change.name)} of the registry key "${path}"`
  }
}

const nameOf = (name: string) => (name === '' ? 'the default value' : `the value "${name}"`)

function describeAfter(change: RegistryChange): object {
  if (change.change !== 'set-value') return change
  const { path, name, type, bytes } = change
  return { path, name, ...keep(viewData({ type, bytes, size: Buffer.byteLength(bytes, 'base64') })) }
}

function keep({ type, data, size }: ReturnType<typeof viewData>) {
  return { type, data: data.slice(0, MAX_KEPT), size }
}

function viewRegistryPage(page: RegistryPage): RegistryListing {
  return {
    ...page,
    values: page.values.map(({ name, ...value }) => ({ name, bytes: value.bytes, ...viewData(value) })),
    has_more: page.next_keys !== null || page.next_values !== null,
  }
}

/** A readable value, truncated if it is long. */
function viewData({ type, size, bytes }: { type: number; size: number; bytes: string | null }) {
  const name = nameOfRegistryType(type)
  const known = Buffer.from(bytes ?? '', 'base64')
  return { type: name, size, data: showRegistryData(name, known, known.length === size) }
}
