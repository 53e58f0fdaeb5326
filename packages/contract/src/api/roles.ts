import { z } from 'zod'
import { BUILT_IN_ROLES } from '../built-in-roles.ts'
import { endpoint } from '../endpoint.ts'
import { IdParams, Nothing } from '../fields.ts'
import { JobActionType } from '../fleet-jobs/job-draft.ts'
import { type Permission, PERMISSIONS } from '../permissions.ts'

const MAX_TARGETS = 10_000
const Semaphore = z.array(z.int().min(1).max(2_147_483_647)).max(MAX_TARGETS)

/** One flag per permission, with its name. */
const Flags = z.object(
  // Object.fromEntries loses the literal names.
  Object.fromEntries(PERMISSIONS.map((name) => [name, z.boolean()])) as Record<Permission, z.ZodBoolean>,
)

const EditableRole = Flags.extend({
  name: z.string().trim().min(1, 'A name is needed.').max(255, 'A name has at most 255 characters.'),
  /** Has all permissions, whatever the flags say, and sees every client. */
  is_superuser: z.boolean(),
  /** Users with this role must set up two-factor sign-in. */
  totp_required: z.boolean(),
  /** A code is required again before a terminal, a desktop or the registry opens. */
  require_2fa_for_remote: z.boolean(),
  /** Jobs on more machines than this need another person's approval; null = none does. */
  approve_jobs_over: z.int().min(0).max(1_000_000).nullable(),
  /** Jobs with these actions need another person's approval on any number of machines. */
  approve_job_actions: z.array(JobActionType).max(JobActionType.options.length),
  /** Ids of the visible clients and sites; both empty = all. A client includes its sites. */
  can_view_clients: Semaphore,
  can_view_sites: Semaphore,
})

export const Role = EditableRole.extend({
  id: z.int(),
  user_count: z.int(),
  /** One that every server has: it cannot be changed or deleted. */
  built_in: z.enum(BUILT_IN_ROLES).nullable(),
  /** Names of the users with this role. */
  users: z.array(z.string()),
  /** Changes with the role. */
  modified: z.string(),
})
export type Role = z.infer<typeof Role>

export const listRoles = endpoint({
  method: 'GET',
  path: '/accounts/roles/',
  access: 'can_list_accounts',
  summary: 'The roles, by name',
  response: z.array(Role),
})

export const createRole = endpoint({
  method: 'POST',
  path: '/accounts/roles/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    'Add a role; missing fields are those of the role `copy_of`, else missing permissions are not allowed. Superusers only',
  body: EditableRole.partial().required({ name: true }).extend({ copy_of: z.int().optional() }),
  response: Role,
})

export const getRole = endpoint({
  method: 'GET',
  path: '/accounts/roles/:id/',
  access: 'can_list_accounts',
  summary: 'One role',
  params: IdParams,
  response: Role,
})

export const editRole = endpoint({
  method: 'PUT',
  path: '/accounts/roles/:id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    'Change some fields of a role that is not built in, effective at once; superusers only. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: EditableRole.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: ['user_count', 'users'],
  response: Role,
})

/** Visible machines or clients: their number, and the first names. */
const Seen = z.object({
  total: z.int(),
  names: z.array(z.string()),
  /** Whether the permissions let the role list them. */
  may_list: z.boolean(),
})

const Right = z.object({ permission: z.enum(PERMISSIONS), label: z.string(), text: z.string() })

export const RolePreview = z.object({
  machines: Seen,
  clients: Seen,
  sites: z.int(),
  groups: z.array(
    z.object({
      label: z.string(),
      can: z.array(Right),
      /** `reason`: why not, although the role has the permission. */
      cannot: z.array(Right.extend({ reason: z.string().nullable() })),
    }),
  ),
  /** Dangerous permissions; `text` says why. */
  risks: z.array(Right),
  /** Restrictions besides permissions, as sentences. */
  conditions: z.array(z.string()),
})
export type RolePreview = z.infer<typeof RolePreview>

export const previewRole = endpoint({
  method: 'POST',
  path: '/accounts/roles/preview/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary:
    'Preview a role without saving it: visible machines and clients, rights and risks. Superusers only',
  body: EditableRole.partial().extend({ name: z.string().max(255).optional() }),
  response: RolePreview,
})

export const deleteRole = endpoint({
  method: 'DELETE',
  path: '/accounts/roles/:id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary: 'Delete a role without users that is not built in; superusers only',
  params: IdParams,
  response: Nothing,
})
