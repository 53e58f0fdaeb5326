import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { chunk } from '../../platform/database/sql.ts'
import { possibleTasks } from './run-queries.ts'
import type { ReportedTask } from './store-task-reports.ts'

/**
 * Locks the clients and sites whose custom fields these results change. Call it before anything else in the
 * transaction: machines of one client report to several processes in any order, and editing a client also locks first
 * the client, then its machines.
 */
export async function lockFieldOwners(tx: Db, reports: readonly ReportedTask[]): Promise<void> {
  const ids = reports.flatMap(({ report }) => (report.kind === 'task-result' ? [report.task_id] : []))
  const clients = new Set<number>()
  const sites = new Set<number>()
  for (const slice of chunk(possibleTasks([...new Set(ids)]))) {
    const owners = await tx
      .selectFrom('tasks')
      .innerJoin('custom_fields', 'custom_fields.id', 'tasks.custom_field')
      .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['model', 'site_id', 'client_id'])
      .where('tasks.id', 'in', slice)
      .where('model', '<>', 'agent')
      .execute()
    for (const { model, site_id, client_id } of owners) {
      if (model === 'client') clients.add(client_id)
      else sites.add(site_id)
    }
  }
  for (const id of [...clients].toSorted(byNumber)) await lockRow(tx, 'clients', 'id', id)
  for (const id of [...sites].toSorted(byNumber)) await lockRow(tx, 'sites', 'id', id)
}

function byNumber(one: number, other: number): number {
  return one - other
}
