import type { Role } from '@muster/contract/api/roles'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { RoleRow } from './queries.ts'

export function viewRole(row: RoleRow): Role {
  return {
    ...viewRoleContent(row),
    id: row.id,
    user_count: row.users.length,
    users: row.users,
    modified: modifiedOf(row),
  }
}

/** The editable fields of a role. */
export function viewRoleContent(row: RoleRow) {
  // Written as a JSON list of names. Unknown names are ignored.
  const names = new Set(JSON.parse(row.permissions) as string[])
  const flags = Object.fromEntries(PERMISSIONS.map((name) => [name, names.has(name)])) as Record<
    Permission,
    boolean
  >
  return {
    name: row.name,
    is_superuser: row.is_superuser === 1,
    totp_required: row.totp_required === 1,
    require_2fa_for_remote: row.require_2fa_for_remote === 1,
    can_view_clients: row.clientIds,
    can_view_sites: row.siteIds,
    ...flags,
  }
}

export function modifiedOf(row: RoleRow): string {
  return digestOf(JSON.stringify(viewRoleContent(row))).slice(0, 32)
}
