import { listAudit } from '@muster/contract/api/audit'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { listAuditRows } from './queries.ts'
import { viewAuditEntry } from './view.ts'

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
