import type { User } from '@muster/contract/api/accounts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { UserRow } from './queries.ts'
import type { Comparison } from './write-user.ts'

export function viewUser(row: UserRow, { mayChange }: Pick<Comparison, 'mayChange'>): User {
  return {
    ...viewUserContent(row),
    id: row.id,
    username: row.username,
    role_name: row.role_name,
    has_all_rights: hasAllRights(row),
    totp: row.totp_confirmed === 1,
    last_login: row.last_login,
    // Like their sessions: addresses of superusers are visible only to superusers.
    last_login_ip: hasAllRights(row) && !mayChange(row) ? null : row.last_login_source,
    may_change: mayChange(row),
    modified: modifiedOf(row),
  }
}

/** The editable fields of a user. */
export function viewUserContent(row: UserRow) {
  return {
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    is_active: row.is_active === 1,
    is_superuser: row.is_superuser === 1,
    role: row.role_id,
  }
}

function hasAllRights(row: UserRow): boolean {
  return row.is_superuser === 1 || row.role_is_superuser === 1
}

export function modifiedOf(row: UserRow): string {
  return digestOf(JSON.stringify(viewUserContent(row))).slice(0, 32)
}

/** For the audit log, with the name of the role. */
export function toldOf(row: UserRow) {
  return { username: row.username, ...viewUserContent(row), role: row.role_name }
}
