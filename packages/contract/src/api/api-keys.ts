import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'

const MAX_CLIENTS = 10_000
const MAX_ADDRESSES = 100
/** Hours for which the replaced key still works. */
export const MAX_OVERLAP_HOURS = 168

const EditableApiKey = z.object({
  name: z.string().trim().min(1, 'A name is needed.').max(100, 'A name has at most 100 characters.'),
  /** From then on the key is refused; null = never. */
  expiration: Instant.nullable(),
  /** Narrows the rights of the owner; null = the rights of the owner. */
  role: Id.nullable(),
  /** The only visible clients, as far as owner and role see them; null = all of those. */
  clients: z.array(Id).max(MAX_CLIENTS).nullable(),
  /** Addresses and CIDR networks that may use the key; empty = any. */
  allowed_addresses: z.array(z.string().trim().min(1).max(100)).max(MAX_ADDRESSES),
})

export const ApiKey = EditableApiKey.extend({
  id: z.int(),
  /** The owner. */
  user: z.int(),
  username: z.string(),
  role: z.int().nullable(),
  role_name: z.string().nullable(),
  clients: z.array(z.int()).nullable(),
  created_time: Instant,
  /** Accurate to a minute. */
  last_used: Instant.nullable(),
  /** Also null for a key of a superuser, if the caller is none. */
  last_used_ip: z.string().nullable(),
  /** Until then the replaced key works as well. */
  old_key_until: Instant.nullable(),
  /** The owner is blocked. */
  blocked: z.boolean(),
  /** Whether the caller may change this key: the owner has no more permissions than the caller. */
  may_change: z.boolean(),
  /** Changes whenever the settings do. */
  modified: z.string(),
})
export type ApiKey = z.infer<typeof ApiKey>

/** `key` is shown only in this response. */
const ShownApiKey = ApiKey.extend({ key: z.string() })
export type ShownApiKey = z.infer<typeof ShownApiKey>

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/accounts/apikeys/',
  access: 'can_list_api_keys',
  summary: 'The API keys, by name',
  response: z.array(ApiKey),
})

export const createApiKey = endpoint({
  method: 'POST',
  path: '/accounts/apikeys/',
  access: 'can_manage_api_keys',
  summary: 'Create an API key of a user without more permissions than the caller; it is shown once',
  needsPerson: true,
  needsProof: true,
  body: EditableApiKey.partial().required({ name: true }).extend({ user: Id }),
  response: ShownApiKey,
})

export const editApiKey = endpoint({
  method: 'PUT',
  path: '/accounts/apikeys/:id/',
  access: 'can_manage_api_keys',
  summary:
    'Change some settings of an API key, effective at once. With `modified`, refused if another user has saved since',
  needsPerson: true,
  needsProof: true,
  params: IdParams,
  body: EditableApiKey.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: ['username', 'role_name', 'last_used', 'last_used_ip', 'old_key_until', 'blocked', 'may_change'],
  response: ApiKey,
})

export const rotateApiKey = endpoint({
  method: 'POST',
  path: '/accounts/apikeys/:id/rotate/',
  access: 'can_manage_api_keys',
  summary: 'Replace an API key; the new one is shown once, and the old one works for some more hours',
  needsPerson: true,
  needsProof: true,
  params: IdParams,
  body: z.object({ old_key_hours: z.int().min(0).max(MAX_OVERLAP_HOURS).default(24) }),
  response: ShownApiKey,
})

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/accounts/apikeys/:id/',
  access: 'can_manage_api_keys',
  summary: 'Delete an API key, which is refused from then on',
  needsPerson: true,
  params: IdParams,
  response: Nothing,
})
