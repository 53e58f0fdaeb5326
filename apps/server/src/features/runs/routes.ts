import {
  type AgentHistory,
  type AgentHistoryResult,
  cancelHistory,
  getHistory,
  getHistoryOutput,
  listAgentHistory,
  runScript,
  sendCommand,
  testScript,
} from '@muster/contract/api/runs'
import { AppError } from '@muster/contract/errors'
import { isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { cancelRun, startRun } from './create-run.ts'
import { commandOrder, scriptOrder, testOrder } from './run-requests.ts'
import { findAgentHistory, findHistory, findOutput, readOutputs, viewHistory, viewResult } from './queries.ts'

const LISTED_RUNS = 5000

export function historyRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(
    api,
    sendCommand,
    async ({ params, body, caller, inReferenceShape, request }) => {
      const agent = await requireAgent(ctx.db, params.agent_id, caller)
      if (inReferenceShape) requireConnected(agent)
      const order = commandOrder(agent, caller, body)
      const id = await startRun(ctx, fleet, order, body.wait ? request.raw : undefined)
      const result = await requireResult(id, caller)
      return inReferenceShape && body.wait ? requireEnded(result, caller) : result
    },
    { toReference: (result, { body }) => (body.wait ? textOf(result) : result) },
  )

  route(
    api,
    runScript,
    async ({ params, body, caller, inReferenceShape, request }) => {
      const agent = await requireAgent(ctx.db, params.agent_id, caller)
      const waits = body.wait && body.output === 'wait'
      if (inReferenceShape && waits) requireConnected(agent)
      const order = await scriptOrder(ctx, agent, caller, body)
      const id = await startRun(ctx, fleet, order, waits ? request.raw : undefined)
      const result = await requireResult(id, caller)
      return inReferenceShape && waits ? requireEnded(result, caller) : result
    },
    {
      toReference: (result, { body }) => {
        if (body.output === 'wait' && body.wait) return textOf(result)
        return `${result.script_name ?? 'The script'} was sent to the machine.`
      },
    },
  )

  route(api, testScript, async ({ params, body, caller, request }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = await testOrder(ctx, agent, caller, body)
    return requireResult(await startRun(ctx, fleet, order, body.wait ? request.raw : undefined), caller)
  })

  route(
    api,
    listAgentHistory,
    async ({ params, caller }) => {
      const agent = await requireAgent(ctx.db, params.agent_id, caller)
      return (await findAgentHistory(ctx.db, agent.agent_id, LISTED_RUNS)).map(viewHistory)
    },
    { toReference: withResults },
  )

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

  /** Programs take the response for the end of the run, so none that still waits may run later. */
  async function requireEnded(result: AgentHistoryResult, caller: Caller): Promise<AgentHistoryResult> {
    if (isFinal(result.state)) return result
    try {
      const { agentId } = await cancelRun(ctx, caller, result.id)
      await fleet.deliver(agentId)
    } catch (error) {
      // It has ended since it was read.
      if (error instanceof AppError && error.code === 'already_finished')
        return requireResult(result.id, caller)
      throw error
    }
    throw new AppError('agent_offline', 'The machine did not answer, and the run was cancelled.')
  }

  /** The newest outputs up to a limit of bytes: a list that programs read is one response. */
  async function withResults(rows: AgentHistory[]): Promise<unknown[]> {
    let bytes = 0
    const read = rows.filter(({ output_bytes }) => (bytes += output_bytes) <= MAX_RESULT_BYTES)
    const outputs = await readOutputs(ctx.db, read)
    return rows.map((row) => {
      const output = outputs.get(row.id)
      if (output === undefined && row.output_bytes > 0)
        return { ...row, results: `The output is at /agents/history/${row.id}/`, script_results: null }
      const { stdout, stderr } = output ?? { stdout: '', stderr: '' }
      const { retcode, execution_time } = row
      return {
        ...row,
        results: stdout + stderr,
        script_results: row.script === null ? null : { stdout, stderr, retcode, execution_time },
      }
    })
  }
}

const MAX_RESULT_BYTES = 8 * 1024 * 1024

function requireConnected({ hostname, connected }: { hostname: string; connected: number }): void {
  if (connected === 1) return
  throw new AppError('agent_offline', `${hostname} is offline. Try again when it is connected.`)
}

/** The output, and the reason if something else ended it. */
function textOf({ stdout, stderr, state, reason }: AgentHistoryResult): string {
  const output = stdout + stderr
  if (state === 'done' || reason === null) return output
  return output === '' || output.endsWith('\n') ? output + reason : `${output}\n${reason}`
}
