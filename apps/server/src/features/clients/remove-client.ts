import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { moveAgents } from './move-agents.ts'
import { deleteClientRow, deleteSites } from './queries.ts'
import { refuseMovedMeanwhile, refuseWideningRoles } from './refuse-removal.ts'
import { requireWholeClient } from './require-node.ts'

export interface Removal {
  id: number
  /** Where its machines go; needed when there are any. */
  moveToSite: number | undefined
}

/** Deletes a client with its sites. Its machines move in the same transaction. */
export function removeClient(ctx: Context, caller: Caller, { id, moveToSite }: Removal): Promise<void> {
  return refuseMovedMeanwhile(() =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, id, caller)
      const at = ctx.now()
      const siteIds = client.sites.map((site) => site.id)
      const { moved, target } = await moveAgents(tx, {
        caller,
        at,
        leaving: client,
        targetSiteId: moveToSite,
        emit,
      })
      await refuseWideningRoles(tx, { clientIds: [id], siteIds })
      await audit(tx, {
        caller,
        action: 'delete',
        object_type: 'client',
        message: `Deleted the client "${client.name}"`,
        before: { name: client.name, sites: client.sites.map((site) => site.name) },
        ...(target === undefined || moved === 0
          ? {}
          : { after: { machines_moved: moved, client: target.client_name, site: target.name } }),
        client: { id },
        at,
        emit,
      })
      await deleteSites(tx, siteIds)
      await deleteClientRow(tx, id)
      emit({ type: 'client.changed', ids: [id, ...(moved > 0 && target ? [target.client_id] : [])] })
    }),
  )
}
