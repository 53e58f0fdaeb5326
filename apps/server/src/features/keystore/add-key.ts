import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { type KeyRoles, type KeyWithRoles, nameRoles, replaceRoles } from './key-roles.ts'
import { insertKey } from './queries.ts'
import { requireLockedKey } from './require-key.ts'

export function addKey(
  ctx: Context,
  caller: Caller,
  { name, value, roles }: { name: string; value: string; roles: KeyRoles },
): Promise<KeyWithRoles> {
  refuseLimited(caller, 'Keys')
  return refuseTaken(takenName(name), () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const { id } = await insertKey(tx, {
        name,
        value: ctx.secrets.encrypt(value),
        all_roles: roles === null ? 1 : 0,
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await replaceRoles(tx, id, roles)
      const row = await requireLockedKey(tx, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'keystore',
        message: `Added the key "${name}"`,
        after: { name, roles: await nameRoles(tx, row.roles) },
        at,
        emit,
      })
      await redefineVariables(tx, emit, 'all')
      emit({ type: 'keystore.changed', ids: [id] })
      return row
    }),
  )
}

export function takenName(name: string): { field: string; sentence: string } {
  return { field: 'name', sentence: `There is already a key named "${name}".` }
}
