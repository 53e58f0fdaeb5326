import type { MachineView } from '@muster/contract/api/views'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { MachineViewsTable } from '../../platform/database/tables/views.ts'
import type { Caller } from '../../platform/http/caller.ts'

export type ViewRow = Selectable<MachineViewsTable> & { username: string }
type Viewer = Pick<Caller, 'userId' | 'isSuperuser'>

const selectViews = (db: Db) =>
  db
    .selectFrom('machine_views')
    .innerJoin('users', 'users.id', 'machine_views.user_id')
    .selectAll('machine_views')
    .select('users.username')

/** The caller's views and the shared ones, by name. */
export function findViews(db: Db, caller: Viewer): Promise<ViewRow[]> {
  return selectViews(db)
    .where((eb) => eb.or([eb('machine_views.user_id', '=', caller.userId), eb('shared', '=', 1)]))
    .orderBy('machine_views.name')
    .orderBy('machine_views.id')
    .execute()
}

/** The view, if the caller may see it. */
export function findView(db: Db, caller: Viewer, id: number): Promise<ViewRow | undefined> {
  return selectViews(db)
    .where('machine_views.id', '=', id)
    .where((eb) => eb.or([eb('machine_views.user_id', '=', caller.userId), eb('shared', '=', 1)]))
    .executeTakeFirst()
}

export const mayEdit = (caller: Viewer, view: ViewRow): boolean =>
  caller.isSuperuser || view.user_id === caller.userId

export function viewView(caller: Viewer, row: ViewRow): MachineView {
  return {
    id: row.id,
    name: row.name,
    shared: row.shared === 1,
    search: row.search,
    sort: row.sort,
    // Written by write-view.ts from the contract's list.
    columns: JSON.parse(row.columns) as MachineView['columns'],
    username: row.username,
    editable: mayEdit(caller, row),
    modified: row.modified,
  }
}
