import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { findSites, lockClient, type SiteRow } from './queries.ts'

type Viewer = { scope: Scope }
export type ClientWithSites = {
  id: number
  name: string
  sites: SiteRow[]
  alert_template_id: number | null
}

/** Returns the site. Throws `not_found` if it does not exist or is not visible. */
export async function requireSite(db: Db, siteId: number, caller: Viewer): Promise<SiteRow> {
  const [site] = await findSites(db, caller, { siteId })
  if (site === undefined) {
    throw new AppError('not_found', 'This site does not exist, or you may not see it.')
  }
  return site
}

/** Returns the client. Throws `not_found` if no part of it is visible. */
export async function requireClient(
  db: Db,
  clientId: number,
  caller: Viewer,
): Promise<{ id: number; name: string }> {
  const [site] = await findSites(db, caller, { clientId })
  if (site === undefined)
    throw new AppError('not_found', 'This client does not exist, or you may not see it.')
  return { id: site.client_id, name: site.client_name }
}

/** Returns a client or site that is at least partly visible. Throws `not_found` otherwise. */
export async function requireNode(
  db: Db,
  node: { type: 'Client' | 'Site'; id: number },
  caller: Viewer,
): Promise<void> {
  const filter = node.type === 'Client' ? { clientId: node.id } : { siteId: node.id }
  if ((await findSites(db, caller, filter)).length > 0) return
  throw new AppError('not_found', `This ${node.type.toLowerCase()} does not exist, or you may not see it.`)
}

/**
 * Returns the client with its sites, locked until the transaction ends. Throws for callers who see only some of its
 * sites.
 */
export async function requireWholeClient(tx: Db, clientId: number, caller: Viewer): Promise<ClientWithSites> {
  const missing = new AppError('not_found', 'This client does not exist, or you may not see it.')
  const visible = await findSites(tx, caller, { clientId })
  const first = visible[0]
  if (first === undefined) throw missing
  const { scope } = caller
  if (!scope.all && !scope.clientIds.includes(clientId)) {
    throw new AppError(
      'not_allowed',
      `You see only some sites of "${first.client_name}", so you may not change the client itself.`,
    )
  }
  if (!(await lockClient(tx, clientId))) throw missing
  // Read again after the lock.
  const sites = await findSites(tx, caller, { clientId })
  const alert_template_id = sites[0]?.client_alert_template_id ?? null
  return { id: clientId, name: first.client_name, sites, alert_template_id }
}
