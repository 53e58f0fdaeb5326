import type { AlertActionRun } from '@muster/contract/api/alerts'
import type { ActionRow } from './action-queries.ts'

export function viewAction(row: ActionRow): AlertActionRun {
  return {
    kind: row.kind,
    template: row.template_name,
    name: row.name,
    state: row.state,
    created: row.created_at,
    ended: row.ended_at,
    retcode: row.retcode,
    execution_time: row.execution_time,
    output: row.output,
    history_id: row.history_id,
  }
}
