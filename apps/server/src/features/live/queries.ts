import type { Db } from '../../platform/database/database.ts'

export async function findClientsOfSites(db: Db, siteIds: number[]): Promise<number[]> {
  if (siteIds.length === 0) return []
  const rows = await db
    .selectFrom('sites')
    .select('client_id')
    .distinct()
    .where('id', 'in', siteIds)
    .execute()
  return rows.map((row) => row.client_id)
}
