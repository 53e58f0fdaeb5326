import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { insertKey, type KeyRow } from './queries.ts'

export function addKey(
  ctx: Context,
  caller: Caller,
  { name, value }: { name: string; value: string },
): Promise<KeyRow> {
  return refuseTaken(takenName(name), () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const row = await insertKey(tx, {
        name,
        value: ctx.secrets.encrypt(value),
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'keystore',
        message: `Added the key "${name}"`,
        after: { name },
        at,
        emit,
      })
      await redefineVariables(tx, emit, 'all')
      emit({ type: 'keystore.changed', ids: [row.id] })
      return row
    }),
  )
}

export function takenName(name: string): { field: string; sentence: string } {
  return { field: 'name', sentence: `There is already a key named "${name}".` }
}
