import {
  cancelHistory,
  getHistory,
  getHistoryOutput,
  listAgentHistory,
  runScript,
  sendCommand,
  testScript,
} from '@muster/contract/api/runs'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { cancelRun, startRun } from './create-run.ts'
import { commandOrder, scriptOrder, testOrder } from './run-requests.ts'
import { findAgentHistory, findHistory, findOutput, viewHistory, viewResult } from './queries.ts'

const LISTED_RUNS = 5000

export function historyRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, sendCommand, async ({ params, body, caller, request }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const id = await startRun(
      ctx,
      fleet,
      commandOrder(agent, caller, body),
      body.wait ? request.raw : undefined,
    )
    return requireResult(id, caller)
  })

  route(api, runScript, async ({ params, body, caller, request }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const waits = body.wait && body.output === 'wait'
    const order = await scriptOrder(ctx, agent, caller, body)
    return requireResult(await startRun(ctx, fleet, order, waits ? request.raw : undefined), caller)
  })

  route(api, testScript, async ({ params, body, caller, request }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = await testOrder(ctx, agent, caller, body)
    return requireResult(await startRun(ctx, fleet, order, body.wait ? request.raw : undefined), caller)
  })

  route(api, listAgentHistory, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await findAgentHistory(ctx.db, agent.agent_id, LISTED_RUNS)).map(viewHistory)
  })

  route(api, getHistory, ({ params, caller }) => requireResult(params.id, caller))

  route(api, getHistoryOutput, async ({ params, query, caller }) => {
    const row = await requireHistory(params.id, caller)
    const chunks = await findOutput(ctx.db, row.id, query.after)
    return {
      history: viewHistory(row),
      chunks: chunks.map(({ chunk, stream, text }) => ({ seq: chunk, stream, text })),
    }
  })

  route(api, cancelHistory, async ({ params, caller }) => {
    const { agentId } = await cancelRun(ctx, caller, params.id)
    await fleet.deliver(agentId)
    return viewHistory(await requireHistory(params.id, caller))
  })

  async function requireHistory(id: number, caller: Caller) {
    return requireRow(await findHistory(ctx.db, id, caller), 'entry of the history')
  }

  async function requireResult(id: number, caller: Caller) {
    const row = await requireHistory(id, caller)
    return viewResult(row, await findOutput(ctx.db, id, 0))
  }
}
