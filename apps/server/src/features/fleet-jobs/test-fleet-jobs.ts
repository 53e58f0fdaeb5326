import {
  type FleetJobDetail,
  getFleetJob,
  listFleetJobMachines,
  planFleetJob,
  startFleetJob,
} from '@muster/contract/api/fleet-jobs'
import type { Report } from '@muster/contract/agent/link'
import type { Input } from '@muster/contract/endpoint'
import { expect } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import type { UserOptions } from '../../testing/test-given.ts'
import { emitChanged } from '../runs/deliver-runs.ts'
import { storeRunReports } from '../runs/store-run-reports.ts'
import { result } from '../runs/test-run.ts'

export type Draft = Input<typeof planFleetJob>['body']

export const ECHO = { type: 'command', shell: 'bash', cmd: 'echo hello' } as const

interface Answer {
  retcode?: number
  stdout?: string
  stderr?: string
}

/** A server with connected machines that only answer when the test says so. */
export async function startFleet(
  count: number,
  { user, server: given }: { user?: UserOptions; server?: TestServer } = {},
) {
  const server = given ?? (await createTestServer())
  const site = await server.given.site()
  const machines = []
  for (let i = 0; i < count; i += 1)
    machines.push(await server.given.agent({ site_id: site.id, hostname: `PC-${i}`, connected: 1 }))
  const ada = server.as(await server.given.user({ username: 'ada', superuser: true, ...user }))
  const agentIds = machines.map(({ agent_id }) => agent_id)
  const target = { by: 'agents' as const, agents: agentIds }

  async function start(draft: Partial<Draft> = {}): Promise<FleetJobDetail> {
    const body = { target, action: ECHO, ...draft }
    const { body: plan } = await ada.call(planFleetJob, { body })
    const { body: job } = await ada.call(startFleetJob, { body: { draft: body, hash: plan.hash } })
    await server.app.fleetJobs.idle()
    return job
  }

  /** The runs that wait for an answer, oldest first. */
  const open = (jobId: number) =>
    server.ctx.db
      .selectFrom('agent_history')
      .select(['id', 'agent_id', 'fleet_job_try'])
      .where('fleet_job_id', '=', jobId)
      .where('state', 'in', ['queued', 'sent', 'accepted', 'running'])
      .orderBy('id')
      .execute()

  /** These machines, or all that run, report their result. Returns how many. */
  async function answer(
    jobId: number,
    of: Answer | ((agentId: string) => Answer | undefined) = {},
  ): Promise<number> {
    const reports: { agentId: string; report: Extract<Report, { history_id: number }> }[] = []
    let answered = 0
    for (const { id, agent_id } of await open(jobId)) {
      const given = typeof of === 'function' ? of(agent_id) : of
      if (given === undefined) continue
      answered += 1
      const { retcode = 0, stdout = 'hello\n', stderr = '' } = given
      const output = (stream: 'stdout' | 'stderr', text: string, chunk: number) =>
        reports.push({ agentId: agent_id, report: { kind: 'output', history_id: id, chunk, stream, text } })
      if (stdout !== '') output('stdout', stdout, 1)
      if (stderr !== '') output('stderr', stderr, 2)
      // result() makes a report of a result.
      const report = result(id, { retcode }) as Extract<Report, { kind: 'result' }>
      reports.push({ agentId: agent_id, report })
    }
    if (answered === 0) return 0
    const rows = await server.ctx.transaction((tx) => storeRunReports(tx, reports, server.clock.now()))
    emitChanged(server.ctx, rows)
    await server.app.fleetJobs.idle()
    return answered
  }

  const read = async (id: number) => (await ada.call(getFleetJob, { params: { id } })).body
  const list = async (id: number, query: Input<typeof listFleetJobMachines>['query'] = {}) =>
    (await ada.call(listFleetJobMachines, { params: { id }, query })).body.results
  /** Every machine ran at most this often. */
  async function expectRuns(jobId: number, most: number, total: number): Promise<void> {
    const runs = await server.ctx.db
      .selectFrom('agent_history')
      .select('agent_id')
      .where('fleet_job_id', '=', jobId)
      .execute()
    expect(runs).toHaveLength(total)
    const perMachine = Map.groupBy(runs, ({ agent_id }) => agent_id)
    expect(Math.max(0, ...perMachine.values().map((group) => group.length))).toBeLessThanOrEqual(most)
  }
  const setConnected = async (agentId: string, connected: 0 | 1) => {
    await server.ctx.db.updateTable('agents').set({ connected }).where('agent_id', '=', agentId).execute()
    server.ctx.emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
  }
  return {
    server,
    site,
    machines,
    agentIds,
    target,
    ada,
    start,
    open,
    answer,
    read,
    list,
    expectRuns,
    setConnected,
    [Symbol.asyncDispose]: async () => {
      if (given === undefined) await server[Symbol.asyncDispose]()
    },
  }
}
