import type { createSnippet, editSnippet } from '@muster/contract/api/snippets'
import type { Parsed } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import type { Db } from '../../../platform/database/database.ts'
import {
  changeRow,
  lockRow,
  refuseTaken,
  requireRow,
  takenName,
} from '../../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { refuseSnippetUses } from '../script-uses.ts'
import {
  deleteSnippetRow,
  findSnippet,
  findSnippetCodes,
  insertSnippet,
  type SnippetRow,
  updateSnippet,
  viewForAudit,
} from './queries.ts'

export function addSnippet(
  ctx: Context,
  caller: Caller,
  { desc, ...form }: Parsed<typeof createSnippet>['body'],
): Promise<SnippetRow> {
  refuseLimited(caller, 'Snippets')
  const taken = takenName('A snippet', form.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const [created_at, modified] = [at.toISOString(), at.toISOString()]
      const codes = await findSnippetCodes(tx)
      const name = await claimName(tx, { table: 'script_snippets', name: form.name, taken })
      const row = await insertSnippet(tx, { ...form, name, description: desc, created_at, modified })
      await refuseSnippetUses(ctx, tx, caller, { before: codes, after: await findSnippetCodes(tx) })
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'snippet',
        message: `Added the snippet "${row.name}"`,
        after: viewForAudit(row),
        at,
        emit,
      })
      await emitChange(ctx, tx, emit)
      return row
    }),
  )
}

export type SnippetChange = Parsed<typeof editSnippet>['body'] & { id: number }

export function changeSnippet(ctx: Context, caller: Caller, change: SnippetChange): Promise<SnippetRow> {
  const { id, modified: loaded, desc, ...parts } = change
  refuseLimited(caller, 'Snippets')
  const taken = takenName('A snippet', parts.name ?? '')
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLockedSnippet(tx, id) },
    async ({ tx, emit, before, at, modified }) => {
      const codes = await findSnippetCodes(tx)
      const name = await claimName(tx, {
        table: 'script_snippets',
        name: parts.name ?? before.name,
        taken,
        before,
      })
      const row = await updateSnippet(tx, id, {
        name,
        code: parts.code ?? before.code,
        shell: parts.shell ?? before.shell,
        description: desc ?? before.description,
        modified,
      })
      await refuseSnippetUses(ctx, tx, caller, { before: codes, after: await findSnippetCodes(tx) })
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'snippet',
        message: `Changed the snippet "${row.name}"`,
        before: viewForAudit(before),
        after: viewForAudit(row),
        at,
        emit,
      })
      await emitChange(ctx, tx, emit)
      return row
    },
  )
}

export function removeSnippet(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Snippets')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedSnippet(tx, id)
    const codes = await findSnippetCodes(tx)
    await deleteSnippetRow(tx, id)
    await refuseSnippetUses(ctx, tx, caller, { before: codes, after: await findSnippetCodes(tx) })
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'snippet',
      message: `Deleted the snippet "${row.name}"`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    await emitChange(ctx, tx, emit)
  })
}

/** Scripts that include it change too, also on machines that run them in checks or tasks. */
async function emitChange({ hooks }: Context, tx: Db, emit: (event: Event) => void): Promise<void> {
  await hooks.snippetsChanged(tx, emit)
  emit({ type: 'script.changed', ids: [] })
}

export async function requireSnippet(db: Db, id: number): Promise<SnippetRow> {
  return requireRow(await findSnippet(db, id), 'snippet')
}

/** The row stays locked until the transaction ends. */
async function requireLockedSnippet(tx: Db, id: number): Promise<SnippetRow> {
  await lockRow(tx, 'script_snippets', 'id', id)
  return requireSnippet(tx, id)
}
