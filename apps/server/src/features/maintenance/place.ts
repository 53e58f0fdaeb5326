import type { Db } from '../../platform/database/database.ts'

/** The location of a window for the audit log: its target, or the client if all targets belong to one. */
export async function findPlace(
  db: Db,
  windowId: number,
): Promise<{ agent?: { agent_id: string }; site?: { id: number }; client?: { id: number } }> {
  const targets = await db
    .selectFrom('maintenance_targets as target')
    .leftJoin('agents', 'agents.agent_id', 'target.agent_id')
    .leftJoin('sites', (join) =>
      join.on((eb) =>
        eb.or([eb('sites.id', '=', eb.ref('target.site_id')), eb('sites.id', '=', eb.ref('agents.site_id'))]),
      ),
    )
    .where('target.window_id', '=', windowId)
    .select(['target.agent_id', 'target.site_id', 'target.client_id', 'sites.client_id as above'])
    .execute()
  const [first, second] = targets
  if (first === undefined) return {}
  if (second === undefined && first.agent_id !== null) return { agent: { agent_id: first.agent_id } }
  if (second === undefined && first.site_id !== null) return { site: { id: first.site_id } }
  const clients = new Set(targets.map(({ client_id, above }) => client_id ?? above))
  const [clientId] = clients
  return clients.size === 1 && typeof clientId === 'number' ? { client: { id: clientId } } : {}
}
