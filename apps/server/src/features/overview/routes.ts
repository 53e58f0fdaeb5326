import { getOverview } from '@muster/contract/api/overview'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireNode } from '../clients/require-node.ts'
import { readOverview } from './read-overview.ts'

export function overviewRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, getOverview, async ({ query: { client }, caller }) => {
    if (client !== undefined) await requireNode(ctx.db, { type: 'Client', id: client }, caller)
    return readOverview(ctx, fleet, caller, client)
  })
}
