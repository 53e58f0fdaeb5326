import { AuditAction, type AuditEntry, AuditObject, listAudit } from '@muster/contract/api/audit'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { AuditLogTable } from '../../platform/database/tables/audit.ts'
import { listAuditRows } from './queries.ts'

export function auditRoutes(api: Api, ctx: Context): void {
  route(api, listAudit, async ({ caller, body }) => {
    const { rows, total } = await listAuditRows(ctx.db, {
      scope: caller.scope,
      filter: body,
      now: ctx.now(),
    })
    return { audit_logs: rows.map(viewAuditEntry), total }
  })
}

function viewAuditEntry(row: Selectable<AuditLogTable>): AuditEntry {
  return {
    id: row.id,
    entry_time: row.entry_time,
    username: row.username,
    api_key: row.api_key,
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
