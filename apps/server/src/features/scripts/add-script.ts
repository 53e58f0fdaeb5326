import type { ScriptForm } from '@muster/contract/api/scripts'
import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseKeys } from '../keystore/key-use.ts'
import { insertScript, type ScriptRow } from './queries.ts'
import { takenName, toColumns, type ScriptColumns } from './script-columns.ts'
import { ownTexts } from './script-uses.ts'
import { keepVersion } from './versions.ts'
import { viewForAudit } from './view.ts'

export function addScript(
  ctx: Context,
  caller: Caller,
  form: z.output<typeof ScriptForm>,
): Promise<ScriptRow> {
  refuseLimited(caller, 'Scripts')
  return refuseTaken(takenName(form.name), () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const row = await insertScript(tx, {
        // A form has every part.
        ...(toColumns(form) as ScriptColumns),
        script_type: 'userdefined',
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await refuseKeys(tx, caller, ownTexts(row))
      await keepVersion(tx, row, caller.username)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'script',
        message: `Added the script "${row.name}"`,
        after: viewForAudit(row),
        at,
        emit,
      })
      emit({ type: 'script.changed', ids: [row.id] })
      return row
    }),
  )
}
