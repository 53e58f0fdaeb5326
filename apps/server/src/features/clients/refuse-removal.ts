import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { isForeignKeyViolation } from '../../platform/database/sql.ts'
import { findSites, type SiteRow } from './queries.ts'

/** A client keeps at least one site. Call with the client locked. */
export async function refuseLastSite(tx: Db, site: SiteRow): Promise<void> {
  const sites = await findSites(tx, { scope: { all: true } }, { clientId: site.client_id })
  if (sites.length > 1) return
  throw new AppError(
    'conflict',
    `"${site.name}" is the only site of "${site.client_name}". Add another site first, or delete the client.`,
  )
}

/** A role without listed clients or sites has access to everything, so deletions must not remove its last entry. */
export async function refuseWideningRoles(
  tx: Db,
  doomed: { clientIds: number[]; siteIds: number[] },
): Promise<void> {
  const role = await findWidenedRole(tx, doomed)
  if (role === undefined) return
  throw new AppError(
    'conflict',
    `The role "${role.name}" is limited to what you are deleting and would see every client afterwards. Give the role another client or site first.`,
  )
}

/**
 * Explains a machine that was added, or a target that was deleted, during the deletion. Wrap it around the transaction.
 */
export async function refuseMovedMeanwhile<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!isForeignKeyViolation(cause)) throw cause
    const sentence =
      'Machines or sites were added or deleted at the same time. Nothing was changed. Try again.'
    throw new AppError('conflict', sentence, { cause })
  }
}

function findWidenedRole(
  tx: Db,
  { clientIds, siteIds }: { clientIds: number[]; siteIds: number[] },
): Promise<{ name: string } | undefined> {
  // PostgreSQL refuses an empty list, and no row has the id 0.
  const clients = clientIds.length === 0 ? [0] : clientIds
  const sites = siteIds.length === 0 ? [0] : siteIds
  return tx
    .selectFrom('roles')
    .select('roles.name')
    .where('roles.is_superuser', '=', 0)
    .where((eb) => {
      const roleClients = eb
        .selectFrom('role_clients')
        .select('role_clients.client_id')
        .whereRef('role_clients.role_id', '=', 'roles.id')
      const roleSites = eb
        .selectFrom('role_sites')
        .select('role_sites.site_id')
        .whereRef('role_sites.role_id', '=', 'roles.id')
      return eb.and([
        eb.or([
          eb.exists(roleClients.where('role_clients.client_id', 'in', clients)),
          eb.exists(roleSites.where('role_sites.site_id', 'in', sites)),
        ]),
        eb.not(eb.exists(roleClients.where('role_clients.client_id', 'not in', clients))),
        eb.not(eb.exists(roleSites.where('role_sites.site_id', 'not in', sites))),
      ])
    })
    .limit(1)
    .executeTakeFirst()
}
