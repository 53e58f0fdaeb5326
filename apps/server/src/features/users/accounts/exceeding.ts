import { PERMISSIONS } from '@muster/contract/permissions'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { findRoles, type RoleRow } from '../roles/queries.ts'
import { viewRoleContent } from '../roles/view.ts'
import type { UserRow } from './queries.ts'

/** What somebody may do: everything, what a role says, or nothing. */
interface Rights {
  isSuperuser: boolean
  role: RoleRow | undefined
}

/** Nobody changes who may do more, and nobody gives more than they have. */
export async function openComparison(db: Db, caller: Caller) {
  const roles = new Map((await findRoles(db)).map((role) => [role.id, role]))
  const { scope } = caller
  const sites = scope.all ? [] : await db.selectFrom('sites').select(['id', 'client_id']).execute()
  const isSeen = ({ id, client_id }: { id: number; client_id: number }) =>
    scope.all || scope.siteIds.includes(id) || scope.clientIds.includes(client_id)
  const seenSites = new Set(sites.filter(isSeen).map(({ id }) => id))

  const exceeds = ({ isSuperuser, role }: Rights): boolean => {
    if (caller.isSuperuser) return false
    if (isSuperuser || role?.is_superuser === 1) return true
    if (role === undefined) return false
    const allows = viewRoleContent(role)
    if (PERMISSIONS.some((permission) => allows[permission] && !mayDo(caller, permission))) return true
    if (caller.session?.code.isAsked === true && role.require_2fa_for_remote === 0) return true
    if (scope.all) return false
    if (role.clientIds.length === 0 && role.siteIds.length === 0) return true
    return (
      role.clientIds.some((id) => !scope.clientIds.includes(id)) ||
      role.siteIds.some((id) => !seenSites.has(id))
    )
  }
  return {
    mayChange: ({ is_superuser, role_id }: UserRow) =>
      !exceeds({ isSuperuser: is_superuser === 1, role: roles.get(role_id ?? 0) }),
    /** undefined = there is no such role. */
    mayGive: (roleId: number): boolean | undefined => {
      const role = roles.get(roleId)
      return role === undefined ? undefined : !exceeds({ isSuperuser: false, role })
    },
  }
}
export type Comparison = Awaited<ReturnType<typeof openComparison>>
