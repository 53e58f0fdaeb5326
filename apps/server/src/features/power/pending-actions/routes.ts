import {
  cancelPendingAction,
  listAgentPendingActions,
  listPendingActions,
} from '@muster/contract/api/pending-actions'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { cancelAction } from './cancel-action.ts'
import { findActions, viewAction } from './pending-actions.ts'

export function pendingActionsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listPendingActions, async ({ caller }) => (await findActions(ctx.db, caller)).map(viewAction))
  route(api, listAgentPendingActions, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return (await findActions(ctx.db, caller, agent_id)).map(viewAction)
  })
  route(api, cancelPendingAction, async ({ params, caller }) => {
    const kept = await cancelAction(ctx, { fleet, caller, id: params.id })
    return kept === undefined ? null : viewAction(kept)
  })
}
