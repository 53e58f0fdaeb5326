import { numberOfRegistryType } from '@muster/rules/agents/registry-value'
import { z } from 'zod'
import { KeyName, MAX_VALUE_BYTES, RegistryPage, RegistryPath, ValueName } from '../agent/registry.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams } from '../fields.ts'

/** `REG_SZ`, `REG_DWORD`, ...; `REG_0x1234` for a number without a name. */
export const RegistryTypeName = z
  .string()
  .max(40)
  .refine((name) => numberOfRegistryType(name) !== undefined, 'This type does not exist.')

const Shown = {
  type: z.string(),
  /** Display text; other content as hexadecimal bytes. */
  data: z.string(),
  /** In bytes. */
  size: z.int(),
}

export const RegistryEntry = z.object({
  name: z.string(),
  ...Shown,
  /** base64; the start of a longer value. */
  bytes: z.string(),
})
export type RegistryEntry = z.infer<typeof RegistryEntry>

export const RegistryListing = RegistryPage.extend({ values: z.array(RegistryEntry), has_more: z.boolean() })
export type RegistryListing = z.infer<typeof RegistryListing>

const Position = z.coerce.number().int().min(0).max(100_000_000).default(0)
const Bytes = z.base64().max(MAX_VALUE_BYTES * 2)
const NewValue = z.object({ path: RegistryPath, name: ValueName, type: RegistryTypeName, bytes: Bytes })
const Done = z.object({ path: z.string() })
const access = 'can_use_registry'

export const listRegistry = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/registry/',
  access,
  summary: 'List a page of subkeys and values of a registry key, from these positions on',
  params: AgentParams,
  query: z.object({ path: RegistryPath.default(''), keys_from: Position, values_from: Position }),
  response: RegistryListing,
})

export const readRegistryValue = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/registry/value/',
  access,
  summary: 'Get a whole registry value; `bytes` is null if it is larger than a megabyte',
  params: AgentParams,
  query: z.object({ path: RegistryPath, name: ValueName.default('') }),
  response: z.object({ ...Shown, bytes: z.string().nullable() }),
})

export const createRegistryKey = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/registry/create-key/',
  access,
  summary: 'Create a registry key',
  params: AgentParams,
  body: z.object({ path: RegistryPath }),
  response: Done,
})

export const renameRegistryKey = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/registry/rename-key/',
  access,
  summary: 'Rename a registry key',
  params: AgentParams,
  body: z.object({ path: RegistryPath, new_name: KeyName }),
  response: Done,
})

export const deleteRegistryKey = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/registry/delete-key/',
  access,
  summary: 'Delete a registry key with all its subkeys and values',
  params: AgentParams,
  query: z.object({ path: RegistryPath }),
  response: Done,
})

export const createRegistryValue = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/registry/create-value/',
  access,
  summary: 'Add a value to a registry key; refused if the name exists',
  params: AgentParams,
  body: NewValue,
  response: Done,
})

export const modifyRegistryValue = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/registry/modify-value/',
  access,
  summary: 'Write the type and bytes of a registry value',
  params: AgentParams,
  body: NewValue,
  response: Done,
})

export const renameRegistryValue = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/registry/rename-value/',
  access,
  summary: 'Rename a registry value',
  params: AgentParams,
  body: z.object({ path: RegistryPath, old_name: ValueName, new_name: ValueName }),
  response: Done,
})

export const deleteRegistryValue = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/registry/delete-value/',
  access,
  summary: 'Delete a registry value',
  params: AgentParams,
  query: z.object({ path: RegistryPath, name: ValueName.default('') }),
  response: Done,
})
