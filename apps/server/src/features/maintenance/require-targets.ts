import type { MaintenanceTarget } from '@muster/contract/api/maintenance'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

const SLICE = 1000

/**
 * Returns the targets without duplicates. All must exist and be visible, a client completely, because a window covers
 * all of it.
 */
export async function requireTargets(
  db: Db,
  caller: { scope: Scope },
  targets: readonly MaintenanceTarget[],
): Promise<MaintenanceTarget[]> {
  const clients = new Set<number>()
  const sites = new Set<number>()
  const agents = new Set<string>()
  for (const target of targets) {
    if (target.type === 'client') clients.add(target.id)
    else if (target.type === 'site') sites.add(target.id)
    else agents.add(target.id)
  }
  await requireAll(clients, 'client', async (ids) => {
    const rows = db.selectFrom('clients').innerJoin('sites', 'sites.client_id', 'clients.id')
    return rows
      .select('clients.id')
      .distinct()
      .where('clients.id', 'in', ids)
      .where(visibleTo(caller))
      .execute()
  })
  await requireAll(sites, 'site', async (ids) =>
    db.selectFrom('sites').select('sites.id').where('sites.id', 'in', ids).where(visibleTo(caller)).execute(),
  )
  await requireAll(agents, 'machine', async (ids) => {
    const rows = db.selectFrom('agents').innerJoin('sites', 'sites.id', 'agents.site_id')
    return rows
      .select('agents.agent_id as id')
      .where('agents.agent_id', 'in', ids)
      .where(visibleTo(caller))
      .execute()
  })
  const { scope } = caller
  if (!scope.all && [...clients].some((id) => !scope.clientIds.includes(id))) {
    refuse('not_allowed', 'You see only some sites of this client. Choose those sites instead of the client.')
  }
  return [
    ...Array.from(clients, (id) => ({ type: 'client' as const, id })),
    ...Array.from(sites, (id) => ({ type: 'site' as const, id })),
    ...Array.from(agents, (id) => ({ type: 'agent' as const, id })),
  ]
}

async function requireAll<Id>(
  wanted: Set<Id>,
  noun: string,
  find: (ids: Id[]) => Promise<{ id: Id }[]>,
): Promise<void> {
  const ids = [...wanted]
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE)
    const found = await find(slice)
    if (found.length < slice.length)
      refuse('not_found', `This ${noun} does not exist, or you may not see it.`)
  }
}

function refuse(code: 'not_found' | 'not_allowed', sentence: string): never {
  throw new AppError(code, sentence, { fields: { targets: [sentence] } })
}
