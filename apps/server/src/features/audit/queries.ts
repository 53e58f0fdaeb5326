import type { listAudit } from '@muster/contract/api/audit'
import type { Parsed } from '@muster/contract/endpoint'
import { type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database, Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type AuditFilter = Parsed<typeof listAudit>['body']

const DAY_MS = 86_400_000

/** One page of the matching rows within the scope, and the total. */
export async function listAuditRows(
  db: Db,
  { scope, filter, now }: { scope: Scope; filter: AuditFilter; now: Date },
) {
  const { page, rowsPerPage, sortBy, descending } = filter.pagination
  const query = db
    .selectFrom('audit_log')
    .where((eb) => eb.and([visibleRows(eb, scope), ...conditions(eb, filter, now)]))
  const direction = descending ? 'desc' : 'asc'
  const rows = await query
    .selectAll()
    .orderBy(sortBy, direction)
    .orderBy('id', direction)
    .limit(rowsPerPage)
    .offset((page - 1) * rowsPerPage)
    .execute()
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

type Builder = ExpressionBuilder<Database, 'audit_log'>

/**
 * A row belongs to the client and site named when it was written. Rows of the server itself are visible only with
 * access to everything.
 */
function visibleRows(eb: Builder, scope: Scope) {
  if (scope.all) return sql<SqlBool>`1 = 1`
  return eb.or([oneOf(eb, 'client_id', scope.clientIds), oneOf(eb, 'site_id', scope.siteIds)])
}

function conditions(eb: Builder, filter: AuditFilter, now: Date) {
  const { agentFilter, clientFilter, userFilter, actionFilter, objectFilter, timeFilter } = filter
  const since = new Date(now.getTime() - (timeFilter ?? 0) * DAY_MS).toISOString()
  return [
    ...(agentFilter === undefined ? [] : [oneOf(eb, 'agent_id', agentFilter)]),
    ...(clientFilter === undefined ? [] : [oneOf(eb, 'client_id', clientFilter)]),
    ...(userFilter === undefined ? [] : [oneOf(eb, 'username', userFilter)]),
    ...(actionFilter === undefined ? [] : [oneOf(eb, 'action', actionFilter)]),
    ...(objectFilter === undefined ? [] : [oneOf(eb, 'object_type', objectFilter)]),
    ...(timeFilter === undefined ? [] : [eb('entry_time', '>=', since)]),
  ]
}

function oneOf(
  eb: Builder,
  column: 'agent_id' | 'client_id' | 'site_id' | 'username' | 'action' | 'object_type',
  values: readonly (string | number)[],
) {
  if (values.length === 0) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`${eb.ref(column)} in (${sql.join(values)})`
}
