import { AuditAction, type AuditEntry, AuditObject } from '@muster/contract/api/audit'
import type { Selectable } from 'kysely'
import type { AuditLogTable } from '../../platform/database/tables/audit.ts'

export function viewAuditEntry(row: Selectable<AuditLogTable>): AuditEntry {
  return {
    id: row.id,
    entry_time: row.entry_time,
    username: row.username,
    agent: row.agent,
    agent_id: row.agent_id,
    client: row.client,
    site: row.site,
    action: AuditAction.parse(row.action),
    object_type: AuditObject.parse(row.object_type),
    message: row.message,
    before_value: readValue(row.before_value),
    after_value: readValue(row.after_value),
    ip_address: row.ip_address,
  }
}

function readValue(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown)
}
