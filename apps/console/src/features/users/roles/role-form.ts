import { BUILT_IN_ROLE_TEXTS, isTemplateRole } from '@muster/contract/built-in-roles'
import { type createRole, listRoles, type Role } from '@muster/contract/api/roles'
import type { Input } from '@muster/contract/endpoint'
import type { JobActionType } from '@muster/contract/fleet-jobs/job-draft'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { query } from '../../../app/api/api.ts'

export type RoleForm = {
  name: string
  is_superuser: boolean
  totp_required: boolean
  require_2fa_for_remote: boolean
  /** Empty = no number of machines needs approval. */
  approve_jobs_over: number | string
  approve_job_actions: JobActionType[]
  can_view_clients: number[]
  can_view_sites: number[]
  permissions: Permission[]
}

/** A new role with the rights of another one. */
export function readCopy(role: Role): RoleForm {
  const name = `${role.name} (copy)`.slice(-MAX_NAME_LENGTH)
  return { ...readRole(role), name: isTemplateRole(role.built_in) ? '' : name }
}

export const MAX_NAME_LENGTH = 255

/** Initial values of a role's form. */
export function readRole(role: Role | undefined): RoleForm {
  return {
    name: role?.name ?? '',
    is_superuser: role?.is_superuser ?? false,
    totp_required: role?.totp_required ?? false,
    require_2fa_for_remote: role?.require_2fa_for_remote ?? false,
    approve_jobs_over: role?.approve_jobs_over ?? '',
    approve_job_actions: role?.approve_job_actions ?? [],
    can_view_clients: role?.can_view_clients ?? [],
    can_view_sites: role?.can_view_sites ?? [],
    permissions: PERMISSIONS.filter((permission) => role?.[permission] === true),
  }
}

export function writeRole({
  permissions,
  approve_jobs_over,
  ...rest
}: RoleForm): Input<typeof createRole>['body'] {
  const flags = Object.fromEntries(PERMISSIONS.map((name) => [name, permissions.includes(name)]))
  const limit = approve_jobs_over === '' ? null : Number(approve_jobs_over)
  return { ...rest, approve_jobs_over: limit, ...flags }
}

export const checkRole = {
  name: (name: string) => (name.trim() === '' ? 'A name is needed.' : null),
}

/** A copy of the template must not see all clients. */
export const checkTemplateCopy = {
  ...checkRole,
  can_view_clients: (clients: number[], { can_view_sites, is_superuser }: RoleForm) =>
    is_superuser || clients.length + can_view_sites.length > 0 ? null : 'Choose the clients of this role.',
}

/** The permissions after a switch, in the contract's order: a reverted change is no change. */
export function switchPermissions(
  before: readonly Permission[],
  changed: readonly Permission[],
  to: 'on' | 'off',
): Permission[] {
  return PERMISSIONS.filter((name) => (changed.includes(name) ? to === 'on' : before.includes(name)))
}

/** The roles that a user can have. */
export function roleOptions(roles: readonly Role[] = []) {
  return roles
    .filter(({ built_in }) => !isTemplateRole(built_in))
    .map(({ id, name }) => ({ value: `${id}`, label: name }))
}

export function describeBuiltIn({ built_in }: Role): string | undefined {
  return built_in === null ? undefined : BUILT_IN_ROLE_TEXTS[built_in].description
}

export const rolesQuery = query(listRoles, {})
