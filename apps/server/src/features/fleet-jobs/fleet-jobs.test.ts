import {
  approveFleetJob,
  getFleetJob,
  getFleetJobOutput,
  haltFleetJob,
  pauseFleetJob,
  planFleetJob,
  resumeFleetJob,
  retryFleetJob,
  startFleetJob,
  stopFleetJob,
  undoFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { editRole, listRoles } from '@muster/contract/api/roles'
import { createTag, tagAgents } from '@muster/contract/api/tags'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { type Draft, ECHO, startFleet } from './test-fleet-jobs.ts'

test('what runs is the plan, and a changed plan must be reviewed first', async () => {
  await using fleet = await startFleet(5)
  const { ada, site, server } = fleet
  const windows = await server.given.agent({ site_id: site.id, plat: 'windows', connected: 1 })
  const draft = { target: { by: 'site', id: site.id } as const, action: ECHO }
  const { body: plan } = await ada.call(planFleetJob, { body: draft })
  expect(plan).toMatchObject({
    matched: 6,
    planned: 5,
    name: 'Run the command "echo hello"',
    waves: [{ number: 1, size: 5 }],
    skipped: [{ code: 'unsuitable', count: 1, reason: 'Windows has no bash.' }],
  })
  expect(plan.machines.at(-1)).toMatchObject({ agent_id: windows.agent_id, wave: null, skip: 'unsuitable' })
  await server.given.agent({ site_id: site.id, connected: 1 })
  server.ctx.emit({ type: 'agent.added', ids: ['x'], agent_ids: [] })
  await server.app.fleet.rows.list({ scope: { all: true } }, {})
  const changed = { draft: { ...draft, target: fleet.target }, hash: plan.hash }
  expect((await ada.call(startFleetJob, { body: changed })).error).toMatchObject({
    code: 'changed_meanwhile',
  })
  const job = await fleet.start({ target: fleet.target })
  const running = await fleet.open(job.id)
  expect(running.map(({ agent_id }) => agent_id).toSorted()).toEqual(fleet.agentIds.toSorted())
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'done',
    counts: { succeeded: 5, failed: 0, running: 0, waiting: 0, skipped: 0 },
    groups: [{ state: 'succeeded', count: 5, retcode: 0, line: 'hello' }],
  })
  await fleet.expectRuns(job.id, 1, 5)
})

test('a canary that fails halts the job; resume, retry and the rest finish it', async () => {
  await using fleet = await startFleet(12)
  const { ada } = fleet
  const job = await fleet.start({
    rollout: { waves: [{ count: 4 }], halt: { failures: 2 }, conditions: { success_percent: 50 } },
  })
  const canary = await fleet.open(job.id)
  expect(canary).toHaveLength(4)
  const bad = new Set(canary.slice(0, 3).map(({ agent_id }) => agent_id))
  await fleet.answer(job.id, (agentId) =>
    bad.has(agentId) ? { retcode: 1, stderr: '\u001b[31mAccess denied\u001b[0m\n' } : {},
  )
  const halted = await fleet.read(job.id)
  expect(halted).toMatchObject({
    state: 'halted',
    reason: '3 machines failed.',
    counts: { succeeded: 1, failed: 3, waiting: 8 },
    steps: { resume: { refused: null }, halt: { refused: 'The job is halted.' } },
  })
  expect(halted.groups[0]).toMatchObject({ state: 'failed', count: 3, retcode: 1, line: 'Access denied' })
  const [failed] = halted.groups
  const params = { id: job.id, group: failed?.id ?? '' }
  expect((await ada.call(getFleetJobOutput, { params })).body).toMatchObject({
    stderr: '\u001b[31mAccess denied\u001b[0m\n',
    compare: { group: { count: 1 }, stdout: 'hello\n' },
  })
  expect(halted.history.map(({ text }) => text)).toContain('Halted: 3 machines failed.')
  await ada.call(retryFleetJob, { params: { id: job.id } })
  await fleet.server.app.fleetJobs.idle()
  expect(await fleet.open(job.id)).toHaveLength(3)
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'running',
    wave: 2,
    counts: { succeeded: 4, running: 8, failed: 0 },
  })
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 12 } })
  await fleet.expectRuns(job.id, 2, 15)
})

test('a gate that stays closed halts the job, and a user opens it', async () => {
  await using fleet = await startFleet(6)
  const job = await fleet.start({
    rollout: { waves: [{ count: 2 }, { count: 2 }], pause_minutes: 5, conditions: { success_percent: 100 } },
  })
  const [first] = await fleet.open(job.id)
  await fleet.answer(job.id, (agentId) => ({ retcode: agentId === first?.agent_id ? 7 : 0 }))
  const watching = await fleet.read(job.id)
  expect(watching).toMatchObject({
    state: 'running',
    wave: 1,
    waves: [{ gate: { state: 'watching' } }, {}, {}],
  })
  expect(await fleet.open(job.id)).toHaveLength(0)
  fleet.server.clock.advance(301)
  fleet.server.app.fleetJobs.wake(job.id)
  await fleet.server.app.fleetJobs.idle()
  const halted = await fleet.read(job.id)
  expect(halted).toMatchObject({ state: 'halted', waves: [{ gate: { state: 'failed' } }, {}, {}] })
  expect(halted.reason).toBe('1 of 2 machines succeeded, and 100 % are required.')
  await fleet.ada.call(resumeFleetJob, { params: { id: job.id }, body: { rest_at_once: true } })
  await fleet.server.app.fleetJobs.idle()
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 5, failed: 1 } })
})

test('limits hold: at once, per site, and after a pause nothing starts', async () => {
  await using fleet = await startFleet(6)
  const { ada, server } = fleet
  const other = await server.given.site()
  const far = await server.given.agent({ site_id: other.id, connected: 1 })
  const job = await fleet.start({
    target: { by: 'agents', agents: [...fleet.agentIds, far.agent_id] },
    rollout: { max_at_once: 4, max_per_site: 2 },
  })
  const started = await fleet.open(job.id)
  expect(started).toHaveLength(3)
  const params = { id: job.id }
  await ada.call(pauseFleetJob, { params })
  await fleet.answer(job.id)
  expect(await fleet.open(job.id)).toHaveLength(0)
  expect((await ada.call(resumeFleetJob, { params })).body).toMatchObject({ state: 'running' })
  await server.app.fleetJobs.idle()
  expect(await fleet.open(job.id)).toHaveLength(2)
  await ada.call(haltFleetJob, { params })
  expect((await ada.call(stopFleetJob, { params })).body).toMatchObject({
    state: 'stopped',
    counts: { running: 2, skipped: 2, succeeded: 3 },
  })
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'stopped', counts: { running: 0, succeeded: 5 } })
})

test('offline machines run when they return, or are skipped when the job expires', async () => {
  await using fleet = await startFleet(3)
  const [first = '', second = ''] = fleet.agentIds
  await fleet.setConnected(first, 0)
  await fleet.setConnected(second, 0)
  const skipped = await fleet.ada.call(planFleetJob, {
    body: { target: fleet.target, action: ECHO, schedule: { offline: 'skip' } },
  })
  expect(skipped.body).toMatchObject({ planned: 1, skipped: [{ code: 'offline', count: 2 }] })
  const job = await fleet.start({ schedule: { expires_hours: 1 } })
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'running', waiting: { turn: 0, offline: 2 } })
  await fleet.setConnected(first, 1)
  fleet.server.app.fleetJobs.wake(job.id)
  await fleet.server.app.fleetJobs.idle()
  expect(await fleet.answer(job.id)).toBe(1)
  fleet.server.clock.advance(3601)
  fleet.server.app.fleetJobs.wake(job.id)
  await fleet.server.app.fleetJobs.idle()
  const over = await fleet.read(job.id)
  expect(over).toMatchObject({ state: 'done', counts: { succeeded: 2, skipped: 1 } })
  expect(over.skipped).toEqual([
    { code: 'expired', count: 1, reason: 'The machine was offline until the job expired.' },
  ])
})

/** A user who sees the client of the fleet only, with a job in its first of two waves. */
async function startLimited(fleet: Awaited<ReturnType<typeof startFleet>>) {
  const { server, site } = fleet
  const options = { permissions: PERMISSIONS, clients: [site.client_id], username: 'bob' }
  const bob = server.as(await server.given.user(options))
  const draft = { target: fleet.target, action: ECHO, rollout: { waves: [{ count: 1 }] } }
  const { body: plan } = await bob.call(planFleetJob, { body: draft })
  const { body: job } = await bob.call(startFleetJob, { body: { draft, hash: plan.hash } })
  await server.app.fleetJobs.idle()
  return { bob, plan, job }
}

test('machines that no longer fit are skipped and named', async () => {
  await using fleet = await startFleet(3)
  const { server } = fleet
  const { bob, plan, job } = await startLimited(fleet)
  const [, moved = '', removed = ''] = plan.machines.map(({ agent_id }) => agent_id)
  const { id: site_id } = await server.given.site()
  await server.ctx.db.updateTable('agents').set({ site_id }).where('agent_id', '=', moved).execute()
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', removed).execute()
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 1, skipped: 2 } })
  const skipped = await fleet.list(job.id, { state: 'skipped' })
  expect(new Set(skipped.map(({ skip }) => skip))).toEqual(new Set(['moved', 'removed']))
  const { body: seen } = await bob.call(getFleetJob, { params: { id: job.id } })
  expect(seen).toMatchObject({ counts: { succeeded: 1, skipped: 0 } })
})

test('a creator who has lost the right starts no more machines', async () => {
  await using fleet = await startFleet(3)
  const { db } = fleet.server.ctx
  const { job } = await startLimited(fleet)
  await db.updateTable('users').set({ is_active: 0 }).where('username', '=', 'bob').execute()
  await fleet.answer(job.id)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'halted',
    reason: 'bob may no longer do this on machines.',
    counts: { succeeded: 1, waiting: 2 },
  })
})

test('a user who sees a part of the machines of a job reads it, and changes nothing', async () => {
  await using fleet = await startFleet(2)
  const { server, site } = fleet
  const hidden = await server.given.agent({ hostname: 'PC-hidden', connected: 1 })
  const agents = [...fleet.agentIds, hidden.agent_id]
  const { id } = await fleet.start({ target: { by: 'agents', agents }, rollout: { max_at_once: 1 } })
  const options = { permissions: PERMISSIONS, clients: [site.client_id], username: 'bob' }
  const bob = server.as(await server.given.user(options))
  const params = { id }
  expect((await bob.call(getFleetJob, { params })).body).toMatchObject({ is_whole: false, state: 'running' })
  const changes = [
    bob.call(pauseFleetJob, { params }),
    bob.call(haltFleetJob, { params }),
    bob.call(resumeFleetJob, { params }),
    bob.call(stopFleetJob, { params }),
    bob.call(retryFleetJob, { params }),
    bob.call(approveFleetJob, { params }),
  ]
  for (const { error } of await Promise.all(changes))
    expect(error).toMatchObject({
      code: 'not_allowed',
      detail: 'This job also runs on machines that you may not see.',
    })
  expect(await fleet.read(id)).toMatchObject({ state: 'running', is_whole: true })
})

test.each(['agents', 'client', 'site', 'search', 'tag', 'all'] as const)(
  'a limited role reaches no machine of another client by %s',
  async (by) => {
    await using fleet = await startFleet(2)
    const { server, site } = fleet
    const mine = await server.given.site()
    const own = await server.given.agent({ site_id: mine.id, hostname: 'PC-own', connected: 1 })
    const options = { permissions: PERMISSIONS, clients: [mine.client_id] }
    const limited = server.as(await server.given.user(options))
    const root = server.as(await server.given.user({ superuser: true }))
    const { body: tag } = await root.call(createTag, { body: { name: 'kiosk' } })
    await root.call(tagAgents, { body: { agents: [own.agent_id, ...fleet.agentIds], add: ['kiosk'] } })
    const targets: Record<typeof by, Draft['target']> = {
      agents: { by: 'agents', agents: [own.agent_id, ...fleet.agentIds] },
      client: { by: 'client', id: site.client_id },
      site: { by: 'site', id: site.id },
      search: { by: 'search', search: 'PC' },
      tag: { by: 'tag', id: tag.id },
      all: { by: 'all' },
    }
    const plan = await limited.call(planFleetJob, { body: { target: targets[by], action: ECHO } })
    if (by === 'search' || by === 'tag' || by === 'all')
      expect(plan.body.machines).toMatchObject([{ hostname: 'PC-own' }])
    else expect(plan.error.code).toBe('not_found')
  },
)

test('a job needs another person where the role says so', async () => {
  await using fleet = await startFleet(3, { user: { superuser: false, permissions: PERMISSIONS } })
  const { ada, server } = fleet
  await server.ctx.db.updateTable('roles').set({ approve_jobs_over: 2 }).execute()
  const job = await fleet.start()
  expect(job.state).toBe('approval')
  const params = { id: job.id }
  expect((await ada.call(approveFleetJob, { params })).error?.code).toBe('not_allowed')
  expect(await fleet.open(job.id)).toHaveLength(0)
  const jonas = server.as(await server.given.user({ superuser: true, username: 'jonas' }))
  const { body: approved } = await jonas.call(approveFleetJob, { params })
  expect(approved.approved_by).toBe('jonas')
  await server.app.fleetJobs.idle()
  expect(await fleet.open(job.id)).toHaveLength(3)
})

test('an action that the role names needs another person on any number of machines', async () => {
  await using fleet = await startFleet(2, { user: { superuser: false, permissions: PERMISSIONS } })
  const { ada, server } = fleet
  const root = server.as(await server.given.user({ superuser: true, username: 'root' }))
  const { body: roles } = await root.call(listRoles, {})
  for (const { id } of roles.filter(({ users }) => users.includes('ada')))
    await root.call(editRole, { params: { id }, body: { approve_job_actions: ['maintenance'] } })
  const body = { target: fleet.target, action: { type: 'maintenance', on: true } as const }
  expect((await ada.call(planFleetJob, { body })).body.needs_approval).toBe(true)
  expect((await ada.call(planFleetJob, { body: { ...body, action: ECHO } })).body.needs_approval).toBe(false)
  const job = await fleet.start(body)
  expect(job.state).toBe('approval')
  const { body: approved } = await root.call(approveFleetJob, { params: { id: job.id } })
  expect(approved.approved_by).toBe('root')
  await server.app.fleetJobs.idle()
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 2 } })
})

test('maintenance of many machines is switched and undone as a new plan', async () => {
  await using fleet = await startFleet(4)
  const { ada, server } = fleet
  const [already = ''] = fleet.agentIds
  await server.ctx.db
    .updateTable('agents')
    .set({ maintenance_mode: 1 })
    .where('agent_id', '=', already)
    .execute()
  const modes = async () =>
    (await server.ctx.db.selectFrom('agents').select(['agent_id', 'maintenance_mode']).execute())
      .filter((row) => row.maintenance_mode === 1)
      .map(({ agent_id }) => agent_id)
  const job = await fleet.start({ action: { type: 'maintenance', on: true } })
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 4 } })
  expect(await modes()).toHaveLength(4)
  const { body: undo } = await ada.call(undoFleetJob, { params: { id: job.id } })
  expect(undo.plan).toMatchObject({ planned: 4, action_text: `Undo the job J-${job.id}` })
  const { body: undone } = await ada.call(startFleetJob, {
    body: { draft: undo.draft, hash: undo.plan.hash },
  })
  await server.app.fleetJobs.idle()
  expect(await fleet.read(undone.id)).toMatchObject({ state: 'done', undo_of: job.id })
  expect(await modes()).toEqual([already])
})

test('a package is removed on many machines, and the job says what failed', async () => {
  await using fleet = await startFleet(2)
  const { server } = fleet
  const action = { type: 'software' as const, do: 'remove' as const, names: ['telnet'] }
  const { id } = await fleet.start({ action })
  const runs = await server.ctx.db
    .selectFrom('agent_history')
    .select(['command_name', 'command', 'type', 'command_input'])
    .where('fleet_job_id', '=', id)
    .execute()
  expect(runs).toHaveLength(2)
  expect(runs[0]).toMatchObject({
    command_name: 'remove-package',
    command: 'Remove the package telnet',
    type: 'package_install',
  })
  expect(JSON.parse(server.ctx.secrets.decrypt(runs[0]?.command_input ?? ''))).toMatchObject({
    names: ['telnet'],
    timeout_seconds: 1800,
  })
  await fleet.answer(id, (agentId) => ({ retcode: agentId === fleet.agentIds[0] ? 0 : 1 }))
  expect(await fleet.read(id)).toMatchObject({
    state: 'done',
    action_text: 'Remove the package telnet',
    counts: { succeeded: 1, failed: 1 },
  })
  const desktop = server.as(
    await server.given.user({ permissions: ['can_list_agents', 'can_list_software'] }),
  )
  const body = { target: fleet.target, action }
  expect((await desktop.call(planFleetJob, { body })).status).toBe(403)
})
