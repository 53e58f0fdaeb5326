import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'

/** Shown in place of every value. Sent back, it means "unchanged". */
export const MASKED_VALUE = '********'

const KeyName = z
  .string()
  .trim()
  .min(1, 'A name is needed.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^{}\p{Cc}]*$/u, 'A name holds no braces: scripts write {{global.name}}.')
/** null = all roles. Superusers may use every key. */
const KeyRoles = z.array(Id).max(1000).nullable()
const KeyValue = z.string().max(100_000, 'A value has at most 100,000 characters.')

/** A secret that scripts use as `{{global.name}}`. It can be replaced, but not read. */
export const KeyStoreEntry = z.object({
  id: z.int(),
  name: z.string(),
  value: z.literal(MASKED_VALUE),
  /** Ids of the roles whose users may use it; null = all roles. */
  roles: z.array(z.int()).nullable(),
  created_at: Instant,
  modified: Instant,
})
export type KeyStoreEntry = z.infer<typeof KeyStoreEntry>

export const listKeyStore = endpoint({
  method: 'GET',
  path: '/core/keystore/',
  access: 'can_view_global_keystore',
  summary: 'List the keys; values are never returned',
  response: z.array(KeyStoreEntry),
})

export const createKey = endpoint({
  method: 'POST',
  path: '/core/keystore/',
  access: 'can_edit_global_keystore',
  summary: 'Store a key, encrypted; scripts use it as {{global.name}}',
  body: z.object({
    name: KeyName,
    value: KeyValue.min(1, 'A value is needed.').refine(
      (value) => value !== MASKED_VALUE,
      'Enter the value itself. Asterisks only mask stored values.',
    ),
    roles: KeyRoles.default(null),
  }),
  response: KeyStoreEntry,
})

export const editKey = endpoint({
  method: 'PUT',
  path: '/core/keystore/:id/',
  access: 'can_edit_global_keystore',
  summary:
    'Rename a key, replace its value or choose its roles; without a value, or with ********, it is unchanged. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: z.object({
    name: KeyName.optional(),
    value: KeyValue.min(1, 'A value is needed.').optional(),
    roles: KeyRoles.optional(),
    modified: z.string().optional(),
  }),
  volatile: [],
  response: KeyStoreEntry,
})

export const deleteKey = endpoint({
  method: 'DELETE',
  path: '/core/keystore/:id/',
  access: 'can_edit_global_keystore',
  summary: 'Delete a key; scripts that use it can no longer run',
  params: IdParams,
  response: Nothing,
})
