import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Scope } from '../http/caller.ts'

/** The condition that limits a list to the caller's scope. The query must join `sites`: `.where(visibleTo(caller))`. */
export function visibleTo(caller: { scope: Scope }): RawBuilder<SqlBool> {
  const { scope } = caller
  if (scope.all) return sql<SqlBool>`1 = 1`
  const conditions: RawBuilder<SqlBool>[] = []
  if (scope.clientIds.length > 0)
    conditions.push(sql<SqlBool>`sites.client_id in (${sql.join(scope.clientIds)})`)
  if (scope.siteIds.length > 0) conditions.push(sql<SqlBool>`sites.id in (${sql.join(scope.siteIds)})`)
  if (conditions.length === 0) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
}
