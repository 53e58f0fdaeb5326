import type { createView, editView, MachineView } from '@muster/contract/api/views'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { findView, mayEdit, type ViewRow, viewView } from './queries.ts'

type ViewBody = Parsed<typeof createView>['body']

export function addView(ctx: Context, caller: Caller, body: ViewBody): Promise<MachineView> {
  const taken = takenName('A view', body.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const name = await claimName(tx, {
        table: 'machine_views',
        name: body.name,
        taken,
        within: { user_id: caller.userId },
      })
      const { id } = await tx
        .insertInto('machine_views')
        .values({
          ...columnsOf({ ...body, name }, EMPTY),
          user_id: caller.userId,
          created_at: at.toISOString(),
          modified: at.toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const view = await requireView(tx, caller, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'view',
        message: `Added the view "${view.name}"`,
        after: describe(view),
        at,
        emit,
      })
      emit({ type: 'view.changed', ids: [id] })
      return viewView(caller, view)
    }),
  )
}

export async function changeView(
  ctx: Context,
  caller: Caller,
  { id, modified: loaded, ...body }: Parsed<typeof editView>['body'] & { id: number },
): Promise<MachineView> {
  const taken = takenName('A view', body.name ?? '')
  const changed = await changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireOwnView(tx, caller, id) },
    async ({ tx, emit, before, at, modified }) => {
      const name = await claimName(tx, {
        table: 'machine_views',
        name: body.name ?? before.name,
        taken,
        before,
        within: { user_id: before.user_id },
      })
      await tx
        .updateTable('machine_views')
        .set({ ...columnsOf({ ...body, name }, viewView(caller, before)), modified })
        .where('id', '=', id)
        .execute()
      const after = await requireView(tx, caller, id)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'view',
        message: `Changed the view "${after.name}"`,
        before: describe(before),
        after: describe(after),
        at,
        emit,
      })
      emit({ type: 'view.changed', ids: [id] })
      return after
    },
  )
  return viewView(caller, changed)
}

export function removeView(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const view = await requireOwnView(tx, caller, id)
    await tx.deleteFrom('machine_views').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'view',
      message: `Deleted the view "${view.name}"`,
      before: describe(view),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'view.changed', ids: [id] })
  })
}

async function requireView(db: Db, caller: Caller, id: number): Promise<ViewRow> {
  return requireRow(await findView(db, caller, id), 'view')
}

/** Throws `not_found` for private views of others, and `not_allowed` for shared ones. */
async function requireOwnView(tx: Db, caller: Caller, id: number): Promise<ViewRow> {
  await lockRow(tx, 'machine_views', 'id', id)
  const view = await requireView(tx, caller, id)
  if (mayEdit(caller, view)) return view
  throw new AppError('not_allowed', `"${view.name}" belongs to ${view.username}. Save a view of your own.`)
}

type ViewContent = Pick<MachineView, 'name' | 'shared' | 'search' | 'sort' | 'columns'>

const EMPTY: ViewContent = { name: '', shared: false, search: '', sort: '', columns: [] }

/** Fields that the body leaves out stay as before. */
function columnsOf(body: { [Name in keyof ViewBody]?: ViewBody[Name] | undefined }, before: ViewContent) {
  const shared = body.shared ?? before.shared
  return {
    name: body.name ?? before.name,
    shared: shared ? (1 as const) : (0 as const),
    search: body.search ?? before.search,
    sort: body.sort ?? before.sort,
    columns: JSON.stringify(body.columns ?? before.columns),
  }
}

function describe({ name, shared, search, sort, columns }: ViewRow) {
  return { name, shared: shared === 1, search, sort, columns: JSON.parse(columns) as unknown }
}
