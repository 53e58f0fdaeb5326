import type { ScriptForm } from '@muster/contract/api/scripts'
import type { z } from 'zod'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import {
  laterThan,
  lockRow,
  refuseStale,
  refuseTaken,
  requireRow,
  takenName,
} from '../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseKeys } from '../keystore/key-use.ts'
import type { Db } from '../../platform/database/database.ts'
import {
  deleteScriptRow,
  findScript,
  insertScript,
  type ScriptRow,
  updateScript,
  viewForAudit,
} from './queries.ts'
import { type ScriptColumns, type ScriptParts, toColumns } from './script-columns.ts'
import { ownTexts, refuseScriptUses } from './script-uses.ts'
import { keepFirstVersion, keepVersion } from './versions.ts'

export function addScript(
  ctx: Context,
  caller: Caller,
  form: z.output<typeof ScriptForm>,
): Promise<ScriptRow> {
  refuseLimited(caller, 'Scripts')
  const taken = takenName('A script', form.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const name = await claimName(tx, { table: 'scripts', name: form.name, taken })
      const row = await insertScript(tx, {
        // A form has every part.
        ...(toColumns({ ...form, name }) as ScriptColumns),
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

interface ScriptChange {
  id: number
  /** The version loaded by the editor. Absent = overwrite any version. */
  modified: string | undefined
  parts: ScriptParts
  /** The audit sentence. Default: that it was changed. */
  done?: string
}

/** How a user lists the script. Not guarded by `modified`. */
const MARKS = new Set(['favorite', 'hidden'])
/** Changes of these fields do not change what runs. */
const DESCRIPTIVE = new Set([...MARKS, 'name', 'description', 'category', 'filename', 'syntax'])

export function changeScript(ctx: Context, caller: Caller, change: ScriptChange): Promise<ScriptRow> {
  refuseLimited(caller, 'Scripts')
  const taken = takenName('A script', change.parts.name ?? '')
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedScript(tx, change.id)
      const name = await claimName(tx, {
        table: 'scripts',
        name: change.parts.name ?? before.name,
        taken,
        before,
      })
      const columns = changedColumns(before, toColumns({ ...change.parts, name }))
      const names = Object.keys(columns)
      if (names.length === 0) return before
      const isContent = names.some((name) => !MARKS.has(name))
      if (isContent && before.script_type === 'builtin') {
        throw new AppError(
          'not_allowed',
          'A built-in script can only be made a favourite or hidden. Copy it to change it.',
        )
      }
      if (isContent) refuseStale(before, change.modified)
      if (names.some((name) => !DESCRIPTIVE.has(name))) {
        await refuseKeys(tx, caller, ownTexts({ ...before, ...columns }))
        await refuseScriptUses(ctx, tx, caller, change.id)
      }
      const at = ctx.now()
      const modified = isContent ? laterThan(before.modified, at) : before.modified
      if (isContent) await keepFirstVersion(tx, before)
      const row = await updateScript(tx, change.id, { ...columns, modified })
      if (isContent) await keepVersion(tx, row, caller.username)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'script',
        message: change.done ?? `Changed the script "${row.name}"`,
        before: viewForAudit(before),
        after: viewForAudit(row),
        at,
        emit,
      })
      const { script_body, shell, run_as_user } = columns
      if ([script_body, shell, run_as_user].some((part) => part !== undefined))
        await ctx.hooks.scriptChanged(tx, emit, row.id)
      emit({ type: 'script.changed', ids: [row.id] })
      return row
    }),
  )
}

function changedColumns(before: ScriptRow, columns: Partial<ScriptColumns>): Partial<ScriptColumns> {
  const stored = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(Object.entries(columns).filter(([name, value]) => stored.get(name) !== value))
}

/** Deletes a script. Its runs keep the name in the history. */
export function removeScript(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Scripts')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedScript(tx, id)
    if (row.script_type === 'builtin') {
      throw new AppError('not_allowed', 'Built-in scripts cannot be deleted. Hide it instead.')
    }
    await refuseScriptUses(ctx, tx, caller, id)
    const remove = () => deleteScriptRow(tx, id)
    await ctx.hooks.removeScript({ ctx, tx, emit }, { id, at: ctx.now(), remove })
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'script',
      message: `Deleted the script "${row.name}"`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'script.changed', ids: [id] })
  })
}

/** Returns the script with its body. Throws `not_found`. */
export async function requireScript(db: Db, id: number): Promise<ScriptRow> {
  return requireRow(await findScript(db, id), 'script')
}

/** The row stays locked until the transaction ends. */
export async function requireLockedScript(tx: Db, id: number): Promise<ScriptRow> {
  await lockRow(tx, 'scripts', 'id', id)
  return requireScript(tx, id)
}
