import { Readable } from 'node:stream'
import {
  type AgentVersionRow,
  getRollout,
  getUpdateSettings,
  listAgentVersions,
  resumeRollout,
  setUpdateSettings,
  updateAgents,
} from '@muster/contract/api/updates'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { refuseLimited } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { FILE_ROUTE, sendFile } from '../../platform/http/send-file.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyMinute } from '../../platform/jobs/schedule.ts'
import { audit } from '../audit/write-audit.ts'
import { findCarriedAgent, PROGRAM_PATH } from './carried-agent.ts'
import { changeUpdateSettings, readUpdateSettings } from './change-update-settings.ts'
import { offerUpdates, resumeUpdate, viewRollout } from './offer-updates.ts'
import { OFFER_JOB, orderUpdates } from './order-updates.ts'
import { findUpdateMachines, type UpdateMachine } from './queries.ts'

export function updatesRoutes(api: Api, ctx: Context): void {
  const findCarried = () => findCarriedAgent(ctx.config.agentFolder)

  route(api, listAgentVersions, async ({ caller }) => {
    const carried = await findCarried()
    return {
      versions: carried === undefined ? [] : [carried.version],
      agents: (await findUpdateMachines(ctx.db, caller)).map(toRow).toSorted(byHostname),
    }
  })

  route(api, updateAgents, async ({ body, caller }) => {
    await orderUpdates(ctx, caller, body.agent_ids)
    return 'ok' as const
  })

  route(api, getRollout, async () => viewRollout(ctx.db, await findCarried(), ctx.now()))

  route(api, resumeRollout, async ({ caller }) => {
    refuseLimited(caller, 'The update of all machines')
    const carried = await findCarried()
    await ctx.transaction(async (tx, emit) => {
      if (carried === undefined || !(await resumeUpdate(ctx, tx, carried.version)))
        throw new AppError('conflict', 'The update of all machines is not halted.')
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'coresettings',
        message: `Resumed the update of agents to version ${carried.version}`,
        at: ctx.now(),
        emit,
      })
      emit({ type: 'rollout.changed', ids: [] })
      await ctx.jobs.enqueue(OFFER_JOB, null, { db: tx })
    })
    return viewRollout(ctx.db, carried, ctx.now())
  })

  route(api, getUpdateSettings, ({ params, caller }) => readUpdateSettings(ctx.db, caller, params))
  route(api, setUpdateSettings, ({ params, body, caller }) =>
    changeUpdateSettings(ctx, caller, { params, body }),
  )

  // For agents: a file, so not an endpoint of the contract. What they run is decided by the signed order alone.
  const program = { ...FILE_ROUTE, config: { summary: 'The program of the agent that this server offers' } }
  api.fastify.get<{ Params: { version: string } }>(
    `${PROGRAM_PATH}:version/agent.mjs`,
    program,
    async (request, reply) => {
      const carried = await findCarried()
      if (carried?.version !== request.params.version)
        throw new AppError('not_found', 'This server does not offer that version of the agent.')
      reply
        .type('text/javascript; charset=utf-8')
        .header('content-encoding', 'gzip')
        .header('cache-control', 'public, max-age=3600')
      return sendFile(request, reply, {
        bytes: carried.packed.length,
        etag: `"${carried.sha256}-gzip"`,
        read: ({ start, end }) => Readable.from([carried.packed.subarray(start, end + 1)]),
      })
    },
  )
}

function toRow(machine: UpdateMachine): AgentVersionRow {
  const { group: _, ...row } = machine
  return row
}

const byHostname = (a: { hostname: string }, b: { hostname: string }) =>
  a.hostname < b.hostname ? -1 : Number(a.hostname > b.hostname)

/** How long machines that are on their way are left alone before the next ones are offered the version. */
const PACE_MS = 2000

export function updatesJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    {
      name: OFFER_JOB,
      schedule: everyMinute,
      async run() {
        if (!(await offerUpdates(ctx, fleet))) return
        const turn = Math.floor(ctx.now().getTime() / PACE_MS) + 1
        const dueAt = new Date(turn * PACE_MS)
        await ctx.jobs.enqueue(OFFER_JOB, null, { id: `${OFFER_JOB}:turn-${turn}`, dueAt })
      },
    },
  ]
}
