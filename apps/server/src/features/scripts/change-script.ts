import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { findScriptChecks } from '../checks/queries.ts'
import { redefineChecks } from '../checks/redefine-checks.ts'
import { refuseKeys } from '../keystore/key-use.ts'
import { redefineTasksOf } from '../tasks/forget-script.ts'
import { type ScriptRow, updateScript } from './queries.ts'
import { requireLockedScript } from './require-script.ts'
import { ownTexts, refuseScriptUses } from './script-uses.ts'
import { type ScriptColumns, type ScriptParts, takenName, toColumns } from './script-columns.ts'
import { keepFirstVersion, keepVersion } from './versions.ts'
import { viewForAudit } from './view.ts'

export interface ScriptChange {
  id: number
  /** What the editor loaded; absent = save over whatever is there. */
  modified: string | undefined
  parts: ScriptParts
  /** What the audit log says of it; else that it was changed. */
  done?: string
}

/** How a person has the script listed; not part of what `modified` guards. */
const MARKS = new Set(['favorite', 'hidden'])
/** How the script is found and read; what runs stays the same. */
const DESCRIPTIVE = new Set([...MARKS, 'name', 'description', 'category', 'filename', 'syntax'])

export function changeScript(ctx: Context, caller: Caller, change: ScriptChange): Promise<ScriptRow> {
  refuseLimited(caller, 'Scripts')
  return refuseTaken(takenName(change.parts.name ?? ''), () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedScript(tx, change.id)
      const columns = changedColumns(before, toColumns(change.parts))
      const names = Object.keys(columns)
      if (names.length === 0) return before
      const isContent = names.some((name) => !MARKS.has(name))
      if (isContent && before.script_type === 'builtin') {
        throw new AppError(
          'not_allowed',
          'A built-in script can only be made a favorite or hidden. Copy it to change it.',
        )
      }
      if (isContent && change.modified !== undefined && change.modified !== before.modified)
        refuseOldSave(before)
      if (names.some((name) => !DESCRIPTIVE.has(name))) {
        await refuseKeys(tx, caller, ownTexts({ ...before, ...columns }))
        await refuseScriptUses(tx, caller, change.id)
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
      if (columns.script_body !== undefined || columns.shell !== undefined) {
        const checks = await findScriptChecks(tx, row.id)
        await redefineChecks(tx, emit, { checkIds: checks.map(({ id }) => id) })
        await redefineTasksOf(tx, emit, row.id)
      }
      emit({ type: 'script.changed', ids: [row.id] })
      return row
    }),
  )
}

function changedColumns(before: ScriptRow, columns: Partial<ScriptColumns>): Partial<ScriptColumns> {
  const stored = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(Object.entries(columns).filter(([name, value]) => stored.get(name) !== value))
}

function refuseOldSave({ name }: ScriptRow): never {
  throw new AppError(
    'changed_meanwhile',
    `"${name}" was saved by somebody else since you opened it. Load it again before you save.`,
  )
}
