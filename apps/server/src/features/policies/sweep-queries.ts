import type { Db } from '../../platform/database/database.ts'

/** Whether there is a policy, or something left of one. */
export async function isNeeded(db: Db): Promise<boolean> {
  if ((await db.selectFrom('policies').select('id').limit(1).executeTakeFirst()) !== undefined) return true
  const left = db.selectFrom('checks').select('id').where('policy_id', 'is not', null).limit(1)
  if ((await left.executeTakeFirst()) !== undefined) return true
  const tasks = db.selectFrom('tasks').select('id').where('policy_id', 'is not', null).limit(1)
  if ((await tasks.executeTakeFirst()) !== undefined) return true
  for (const table of ['agents', 'sites'] as const) {
    const named = db.selectFrom(table).select('id').where('policy_templates', '<>', '[]').limit(1)
    if ((await named.executeTakeFirst()) !== undefined) return true
  }
  const given = db.selectFrom('agents').select('id').where('setting_sources', 'like', '%"given"%').limit(1)
  return (await given.executeTakeFirst()) !== undefined
}

/** Machines of these clients. */
export async function findClientAgents(db: Db, clientIds: number[]): Promise<string[]> {
  if (clientIds.length === 0) return []
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('agents.agent_id')
    .where('sites.client_id', 'in', clientIds)
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}
