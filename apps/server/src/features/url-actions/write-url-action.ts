import type { createUrlAction, editUrlAction, UrlAction } from '@muster/contract/api/url-actions'
import type { Parsed } from '@muster/contract/endpoint'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import type { UrlActionsTable } from '../../platform/database/tables/url-actions.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'

type Row = Selectable<UrlActionsTable>

export const findUrlActions = (db: Db): Promise<Row[]> =>
  db.selectFrom('url_actions').selectAll().orderBy('name').execute()

export async function requireUrlAction(db: Db, id: number): Promise<Row> {
  const row = await db.selectFrom('url_actions').selectAll().where('id', '=', id).executeTakeFirst()
  return requireRow(row, 'URL action')
}

export function viewUrlAction({ description, ...row }: Row): UrlAction {
  return { ...row, desc: description, action_type: 'web' }
}

export function addUrlAction(
  ctx: Context,
  caller: Caller,
  { name: wanted, desc = '', pattern }: Parsed<typeof createUrlAction>['body'],
): Promise<Row> {
  refuseLimited(caller, 'URL actions')
  const taken = takenName('A URL action', wanted)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const name = await claimName(tx, { table: 'url_actions', name: wanted, taken })
      const row = await tx
        .insertInto('url_actions')
        .values({ name, description: desc, pattern, modified: at.toISOString() })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'urlaction',
        message: `Added the URL action "${name}"`,
        after: { name, desc, pattern },
        at,
        emit,
      })
      emit({ type: 'urlaction.changed', ids: [row.id] })
      return row
    }),
  )
}

export function changeUrlAction(
  ctx: Context,
  caller: Caller,
  { id, modified: loaded, ...change }: Parsed<typeof editUrlAction>['body'] & { id: number },
): Promise<Row> {
  refuseLimited(caller, 'URL actions')
  const taken = takenName('A URL action', change.name ?? '')
  return changeRow(
    ctx,
    {
      taken,
      loaded,
      lock: (tx) => requireLocked(tx, id),
    },
    async ({ tx, emit, before, at, modified }) => {
      const name = await claimName(tx, {
        table: 'url_actions',
        name: change.name ?? before.name,
        taken,
        before,
      })
      const { desc = before.description, pattern = before.pattern } = change
      const row = await tx
        .updateTable('url_actions')
        .set({ name, description: desc, pattern, modified })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'urlaction',
        message: `Changed the URL action "${name}"`,
        before: { name: before.name, desc: before.description, pattern: before.pattern },
        after: { name, desc, pattern },
        at,
        emit,
      })
      emit({ type: 'urlaction.changed', ids: [id] })
      return row
    },
  )
}

export function removeUrlAction(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'URL actions')
  return ctx.transaction(async (tx, emit) => {
    const { name, description, pattern } = await requireLocked(tx, id)
    await tx.deleteFrom('url_actions').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'urlaction',
      message: `Deleted the URL action "${name}"`,
      before: { name, desc: description, pattern },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'urlaction.changed', ids: [id] })
  })
}

async function requireLocked(tx: Db, id: number): Promise<Row> {
  await lockRow(tx, 'url_actions', 'id', id)
  return requireUrlAction(tx, id)
}
