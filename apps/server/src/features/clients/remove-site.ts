import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { moveAgents } from './move-agents.ts'
import { deleteSites, lockClient } from './queries.ts'
import { refuseLastSite, refuseMovedMeanwhile, refuseWideningRoles } from './refuse-removal.ts'
import type { Removal } from './remove-client.ts'
import { requireSite } from './require-node.ts'

/** Deletes a site, unless it is the last of its client. Its machines move in the same transaction. */
export function removeSite(ctx: Context, caller: Caller, { id, moveToSite }: Removal): Promise<void> {
  return refuseMovedMeanwhile(() =>
    ctx.transaction(async (tx, emit) => {
      const site = await requireSite(tx, id, caller)
      await lockClient(tx, site.client_id)
      await refuseLastSite(tx, site)
      const at = ctx.now()
      const leaving = { name: site.name, sites: [site] }
      const { moved, target } = await moveAgents(tx, { caller, at, leaving, targetSiteId: moveToSite, emit })
      await refuseWideningRoles(tx, { clientIds: [], siteIds: [id] })
      await audit(tx, {
        caller,
        action: 'delete',
        object_type: 'site',
        message: `Deleted the site "${site.name}" of "${site.client_name}"`,
        before: { name: site.name, client: site.client_name },
        ...(target === undefined || moved === 0
          ? {}
          : { after: { machines_moved: moved, client: target.client_name, site: target.name } }),
        site: { id },
        at,
        emit,
      })
      await deleteSites(tx, [id])
      const changed = new Set([site.client_id, ...(moved > 0 && target ? [target.client_id] : [])])
      emit({ type: 'client.changed', ids: [...changed] })
    }),
  )
}
