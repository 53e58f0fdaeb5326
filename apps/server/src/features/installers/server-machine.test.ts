import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enrolAgent } from '@muster/contract/api/installers'
import {
  getFleetJob,
  listFleetJobMachines,
  planFleetJob,
  startFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { PERMISSIONS } from '@muster/contract/permissions'
import { SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { enrolBody } from '../agents/test-agent.ts'
import { findAgentsWithSite } from '../agents/queries.ts'
import { nextOpening, start } from '../remote/test-tool.ts'
import { TestWindow } from '../remote/test-window.ts'
import { writeRun } from '../runs/create-run.ts'
import { scriptOrder } from '../runs/run-requests.ts'
import { createEnrolToken } from './enrol-machine.ts'
import { markServerMachine } from './server-machine.ts'

async function enrol(
  server: TestServer,
  more: { siteId: number; machineKey: string; forServerMachine?: boolean },
) {
  const { siteId, machineKey, forServerMachine = false } = more
  const token = await createEnrolToken(server.ctx.db, {
    siteId,
    monitoringType: 'server',
    plat: null,
    uses: 1,
    expiresAt: new Date(server.clock.now().getTime() + 60_000).toISOString(),
    createdBy: 'test',
    now: server.clock.now(),
    forServerMachine,
  })
  const { body } = await server.anonymous.call(enrolAgent, { body: enrolBody(token, { machineKey }).body })
  return body.agent_id
}

const marked = async ({ ctx }: TestServer) =>
  (
    await ctx.db
      .selectFrom('agents')
      .select('agent_id')
      .where('server_machine', '=', 1)
      .orderBy('id')
      .execute()
  ).map(({ agent_id }) => agent_id)

test('only the token of the server marks its machine, and a reinstallation with another keeps the mark', async () => {
  await using server = await createTestServer()
  const { id: siteId } = await server.given.site()
  const machineKey = 'a'.repeat(64)
  const own = await enrol(server, { siteId, machineKey, forServerMachine: true })
  await enrol(server, { siteId, machineKey: 'b'.repeat(64) })
  expect(await marked(server)).toEqual([own])
  expect(await enrol(server, { siteId, machineKey })).toBe(own)
  expect(await marked(server)).toEqual([own])
})

test('a start marks the machine that an earlier version enrolled', async () => {
  await using server = await createTestServer()
  const agent = await server.given.agent()
  await markServerMachine(server.ctx)
  expect(await marked(server)).toEqual([])
  const folder = join(server.ctx.config.dataFolder, 'agent')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'agent.json'), JSON.stringify({ agent_id: agent.agent_id, server_url: 'x' }))
  await markServerMachine(server.ctx)
  expect(await marked(server)).toEqual([agent.agent_id])
})

test('a terminal opens there only for a superuser, and ends with that right', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  await server.ctx.db.updateTable('agents').set({ server_machine: 1 }).execute()
  using refused = await TestWindow.open(server, { ...at, user })
  expect(await refused.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  const root = await server.given.user({ superuser: true })
  using window = await TestWindow.open(server, { ...at, user: root })
  await nextOpening(agent)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  await server.ctx.db
    .updateTable('roles')
    .set({ permissions: JSON.stringify(PERMISSIONS) })
    .execute()
  await server.ctx.db.updateTable('users').set({ is_superuser: 0 }).where('id', '=', root.id).execute()
  server.ctx.emit({ type: 'user.changed', ids: [root.id] })
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
})

test('what policies and alert templates would run there is refused', async () => {
  await using server = await createTestServer()
  const { agent_id } = await server.given.agent({ server_machine: 1 })
  const { ctx } = server
  const [machine] = await findAgentsWithSite(ctx.db, [agent_id])
  if (machine === undefined) throw new Error('the machine is there')
  const { id: script } = await server.given.script()
  const nobody = { username: 'server', source: '', userId: null, isSuperuser: false }
  const body = { script, output: 'forget' as const, wait: false, expires_in: 60 }
  const order = await scriptOrder(ctx, machine, nobody, body)
  await expect(ctx.transaction((tx, emit) => writeRun({ ctx, tx, emit }, order))).rejects.toThrow(
    SERVER_MACHINE_REASON,
  )
})

test('a job leaves the machine of the server out and says why, also if its author is no superuser any more', async () => {
  await using server = await createTestServer()
  const site = await server.given.site()
  const own = await server.given.agent({ site_id: site.id, connected: 1, server_machine: 1 })
  const other = await server.given.agent({ site_id: site.id, connected: 1 })
  const user = await server.given.user({ permissions: PERMISSIONS })
  const body = {
    target: { by: 'agents' as const, agents: [own.agent_id, other.agent_id] },
    action: { type: 'command' as const, shell: 'bash' as const, cmd: 'id' },
  }
  const startJob = async () => {
    const { body: plan } = await server.as(user).call(planFleetJob, { body })
    const draft = { ...body }
    const { body: job } = await server.as(user).call(startFleetJob, { body: { draft, hash: plan.hash } })
    return job.id
  }
  const skipsOf = async (id: number) => {
    await server.app.fleetJobs.idle()
    const { body: machines } = await server.as(user).call(listFleetJobMachines, { params: { id }, query: {} })
    return JSON.stringify(machines)
  }
  const runs = async () =>
    (await server.ctx.db.selectFrom('agent_history').select('agent_id').execute()).map(
      ({ agent_id }) => agent_id,
    )
  expect(await skipsOf(await startJob())).toContain(SERVER_MACHINE_REASON)
  expect(await runs()).toEqual([other.agent_id])
  // Started as a superuser, for later.
  const { role_id } = await server.ctx.db
    .selectFrom('users')
    .select('role_id')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const setSuperuser = (is_superuser: 0 | 1) =>
    server.ctx.db.updateTable('roles').set({ is_superuser }).where('id', '=', Number(role_id)).execute()
  await setSuperuser(1)
  await server.ctx.db.updateTable('agents').set({ connected: 0 }).execute()
  const id = await startJob()
  await server.app.fleetJobs.idle()
  await setSuperuser(0)
  await server.ctx.db.updateTable('agents').set({ connected: 1 }).execute()
  server.app.fleetJobs.wake(id)
  expect(await skipsOf(id)).toContain(SERVER_MACHINE_REASON)
  expect((await runs()).filter((agentId) => agentId === own.agent_id)).toEqual([])
  const { body: job } = await server.as(user).call(getFleetJob, { params: { id } })
  expect(job.id).toBe(id)
})
