import type { Alert, AlertLogEntry } from '@muster/contract/api/alerts'
import type { Selectable } from 'kysely'
import type { AlertLogTable } from '../../platform/database/tables/alerts.ts'
import type { ListedAlert } from './list-alerts.ts'

export function viewAlert(row: ListedAlert): Alert {
  return {
    id: row.id,
    alert_type: row.alert_type,
    state: row.state,
    severity: row.severity,
    message: row.message,
    agent_id: row.agent_id,
    hostname: row.hostname ?? '',
    client_id: row.client_id,
    client: row.client_name ?? '',
    site_id: row.place_id,
    site: row.site_name ?? '',
    check_id: row.check_id,
    alert_time: row.alert_time,
    snooze_until: row.snooze_until,
    acknowledged_by: row.acknowledged_by,
    acknowledged_on: row.acknowledged_on,
    resolved_on: row.resolved_on,
    resolved_by: row.resolved_by,
    hold: row.hold,
    flapping: row.flapping === 1,
  }
}

export function viewLogEntry(row: Selectable<AlertLogTable>): AlertLogEntry {
  return { id: row.id, at: row.at, kind: row.kind, by: row.by_user, text: row.text }
}
