import { MASKED_VALUE } from '@muster/contract/api/keystore'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { takenName } from './add-key.ts'
import { type KeyRoles, type KeyWithRoles, nameRoles, refuseMoreRoles, replaceRoles } from './key-roles.ts'
import { updateKey } from './queries.ts'
import { requireLockedKey } from './require-key.ts'

export interface KeyChange {
  id: number
  name?: string | undefined
  /** Absent or masked = as it is. */
  value?: string | undefined
  /** Absent = as they are. */
  roles?: KeyRoles | undefined
  /** What the editor loaded; absent = save over whatever is there. */
  modified?: string | undefined
}

export function changeKey(ctx: Context, caller: Caller, change: KeyChange): Promise<KeyWithRoles> {
  refuseLimited(caller, 'Keys')
  const value = change.value === MASKED_VALUE ? undefined : change.value
  return refuseTaken(takenName(change.name ?? ''), () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedKey(tx, change.id)
      if (change.modified !== undefined && change.modified !== before.modified) {
        throw new AppError(
          'changed_meanwhile',
          `"${before.name}" was saved by somebody else since you opened it. Load it again before you save.`,
        )
      }
      const name = change.name ?? before.name
      const isRenamed = name !== before.name
      const roles = change.roles === undefined ? before.roles : change.roles
      const isShared = textOf(roles) !== textOf(before.roles)
      if (!isRenamed && value === undefined && !isShared) return before
      await refuseMoreRoles(tx, caller, { before, roles })
      const at = ctx.now()
      await updateKey(tx, change.id, {
        name,
        all_roles: roles === null ? 1 : 0,
        ...(value === undefined ? {} : { value: ctx.secrets.encrypt(value) }),
        modified: laterThan(before.modified, at),
      })
      await replaceRoles(tx, change.id, roles)
      const row = await requireLockedKey(tx, change.id)
      const done = [
        ...(isRenamed ? [`Renamed the key "${before.name}" to "${name}"`] : []),
        ...(value === undefined ? [] : [`Replaced the value of the key "${name}"`]),
        ...(isShared ? [`Changed the roles of the key "${name}"`] : []),
      ]
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'keystore',
        message: done.join('; '),
        before: { name: before.name, roles: await nameRoles(tx, before.roles) },
        after: { name, roles: await nameRoles(tx, row.roles) },
        at,
        emit,
      })
      await redefineVariables(tx, emit, 'all')
      emit({ type: 'keystore.changed', ids: [row.id] })
      return row
    }),
  )
}

function textOf(roles: KeyRoles): string {
  return JSON.stringify(roles?.toSorted((a, b) => a - b) ?? null)
}
