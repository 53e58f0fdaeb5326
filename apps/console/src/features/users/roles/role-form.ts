import { type createRole, listRoles, type Role } from '@muster/contract/api/roles'
import type { Input } from '@muster/contract/endpoint'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { query } from '../../../app/api/api.ts'

export type RoleForm = {
  name: string
  is_superuser: boolean
  totp_required: boolean
  require_2fa_for_remote: boolean
  can_view_clients: number[]
  can_view_sites: number[]
  permissions: Permission[]
}

/** Initial values of a role's form. */
export function readRole(role: Role | undefined): RoleForm {
  return {
    name: role?.name ?? '',
    is_superuser: role?.is_superuser ?? false,
    totp_required: role?.totp_required ?? false,
    require_2fa_for_remote: role?.require_2fa_for_remote ?? false,
    can_view_clients: role?.can_view_clients ?? [],
    can_view_sites: role?.can_view_sites ?? [],
    permissions: PERMISSIONS.filter((permission) => role?.[permission] === true),
  }
}

export function writeRole({ permissions, ...rest }: RoleForm): Input<typeof createRole>['body'] {
  const flags = Object.fromEntries(PERMISSIONS.map((name) => [name, permissions.includes(name)]))
  return { ...rest, ...flags }
}

export const checkRole = {
  name: (name: string) => (name.trim() === '' ? 'A name is needed.' : null),
}

/** The permissions after a switch, in the contract's order: a reverted change is no change. */
export function switchPermissions(
  before: readonly Permission[],
  changed: readonly Permission[],
  to: 'on' | 'off',
): Permission[] {
  return PERMISSIONS.filter((name) => (changed.includes(name) ? to === 'on' : before.includes(name)))
}

export const rolesQuery = query(listRoles, {})
