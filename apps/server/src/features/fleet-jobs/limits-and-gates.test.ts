import { createAlert, listAlerts } from '@muster/contract/api/alerts'
import {
  listFleetJobMachines,
  pauseFleetJob,
  planFleetJob,
  resumeFleetJob,
  retryFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createAlertBench } from '../alerts/channels/test-alerts.ts'
import { prepareAlerts } from '../alerts/test-alerts.ts'
import { type Draft, ECHO, startFleet } from './test-fleet-jobs.ts'

type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Moves the clock, and lets the job do what is due. */
async function wait(fleet: Fleet, jobId: number, seconds: number): Promise<void> {
  fleet.server.clock.advance(seconds)
  fleet.server.app.fleetJobs.wake(jobId)
  await fleet.server.app.fleetJobs.idle()
}

test('no more than the limit start within a minute', async () => {
  await using fleet = await startFleet(5)
  const { server } = fleet
  server.clock.freeze('2026-11-25T10:00:00.000Z')
  const job = await fleet.start({ rollout: { max_per_minute: 2 } })
  expect(await fleet.answer(job.id)).toBe(2)
  await wait(fleet, job.id, 59)
  expect(await fleet.open(job.id)).toHaveLength(0)
  await wait(fleet, job.id, 2)
  expect(await fleet.answer(job.id)).toBe(2)
  await wait(fleet, job.id, 30)
  expect(await fleet.open(job.id)).toHaveLength(0)
  await wait(fleet, job.id, 31)
  expect(await fleet.answer(job.id)).toBe(1)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 5 } })
})

test('each machine starts at the time of its own clock', async () => {
  await using fleet = await startFleet(3)
  const { server } = fleet
  server.clock.freeze('2026-11-25T10:00:00.000Z')
  const zones = ['Asia/Tokyo', 'Asia/Kolkata', 'Asia/Dubai']
  for (const [i, time_zone] of zones.entries())
    await server.ctx.db
      .updateTable('agents')
      .set({ time_zone })
      .where('agent_id', '=', fleet.agentIds[i] ?? '')
      .execute()
  const job = await fleet.start({ schedule: { start: { at: 'machine_time', time: '2026-11-25T20:00' } } })
  const [tokyo, kolkata, dubai] = fleet.agentIds
  const started: [string, (string | undefined)[]][] = []
  for (const at of [
    '2026-11-25T10:59:59Z',
    '2026-11-25T11:00:00Z',
    '2026-11-25T14:30:00Z',
    '2026-11-25T16:00:00Z',
  ]) {
    server.clock.freeze(at)
    server.app.fleetJobs.wake(job.id)
    await server.app.fleetJobs.idle()
    started.push([at, (await fleet.open(job.id)).map(({ agent_id }) => agent_id)])
    await fleet.answer(job.id)
  }
  expect(started).toEqual([
    ['2026-11-25T10:59:59Z', []],
    ['2026-11-25T11:00:00Z', [tokyo]],
    ['2026-11-25T14:30:00Z', [kolkata]],
    ['2026-11-25T16:00:00Z', [dubai]],
  ])
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 3 } })
})

/** A job with a first wave of two machines that is watched for five minutes. Returns the machines of the wave. */
async function startWatched(fleet: Fleet, conditions: NonNullable<Draft['rollout']>['conditions']) {
  const rollout = { waves: [{ count: 2 }], watch_minutes: 5, conditions }
  const job = await fleet.start({ rollout })
  const wave = (await fleet.open(job.id)).map(({ agent_id }) => agent_id)
  await fleet.answer(job.id)
  await wait(fleet, job.id, 240)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'running',
    waves: [{ gate: { state: 'watching', text: expect.stringMatching(/^Opens 5 min after the wave/) } }, {}],
  })
  return { job, wave }
}

test('a new alert on a machine of the wave halts the job; one elsewhere does not', async () => {
  await using fleet = await startFleet(4)
  const raise = (agent = '') =>
    fleet.ada.call(createAlert, { body: { message: 'Disk is full', severity: 'error', agent } })
  const good = await startWatched(fleet, { no_new_alerts: true })
  await raise(fleet.agentIds.find((id) => !good.wave.includes(id)))
  await wait(fleet, good.job.id, 61)
  expect(await fleet.read(good.job.id)).toMatchObject({
    state: 'running',
    wave: 2,
    waves: [{ gate: { state: 'passed', text: 'Passed.' } }, {}],
  })
  await fleet.answer(good.job.id)
  const bad = await startWatched(fleet, { no_new_alerts: true })
  await raise(bad.wave[0])
  await wait(fleet, bad.job.id, 61)
  expect(await fleet.read(bad.job.id)).toMatchObject({
    state: 'halted',
    reason: 'A new alert opened.',
    counts: { succeeded: 2, waiting: 2 },
  })
})

test('a check that does not pass minutes after the wave halts the job', async () => {
  await using alerts = await prepareAlerts()
  const { server } = alerts
  await using fleet = await startFleet(4, { server })
  const checks = new Map<string, Awaited<ReturnType<typeof alerts.check>>>()
  for (const id of fleet.agentIds) checks.set(id, await alerts.check(id))
  const all = [...checks.values()]
  for (const check of all) await alerts.report(check, [0, 20])
  const condition = { check: 'CPU Load' }
  const good = await startWatched(fleet, condition)
  await wait(fleet, good.job.id, 61)
  expect(await fleet.read(good.job.id)).toMatchObject({ state: 'running', wave: 2 })
  await fleet.answer(good.job.id)
  const bad = await startWatched(fleet, condition)
  const check = checks.get(bad.wave[0] ?? '')
  if (check === undefined) throw new Error('the machine has no check')
  await alerts.report(check, [600, 95])
  await wait(fleet, bad.job.id, 61)
  expect(await fleet.read(bad.job.id)).toMatchObject({
    state: 'halted',
    reason: 'The check "CPU Load" does not pass on 1 machine.',
    counts: { succeeded: 2, waiting: 2 },
  })
})

test('a job that its limits halt, or that ends with failures, is an alert until a user continues it', async () => {
  await using fleet = await startFleet(4)
  const { ada, server, site } = fleet
  await createAlertBench(server.ctx).channel(
    { kind: 'webhook', url: 'http://127.0.0.1:1/' },
    { severities: ['error', 'warning'] },
  )
  const notices = async () =>
    (await server.ctx.db.selectFrom('alert_notices').select('kind').orderBy('id').execute()).map(
      ({ kind }) => kind,
    )
  const bell = async () => (await ada.call(listAlerts, { body: { top: 10 } })).body.alerts
  const params = { id: (await fleet.start({ rollout: { waves: [{ count: 1 }], halt: { failures: 1 } } })).id }
  await fleet.answer(params.id, () => ({ retcode: 1 }))
  expect(await bell()).toMatchObject([
    {
      message: `Job J-${params.id} of ada halted: 1 machine failed.`,
      severity: 'error',
      site_id: site.id,
    },
  ])
  expect(await notices()).toEqual(['opened'])
  const stranger = await server.given.user({
    permissions: PERMISSIONS,
    sites: [(await server.given.site()).id],
  })
  expect((await server.as(stranger).call(listAlerts, { body: { top: 10 } })).body.alerts).toEqual([])
  await ada.call(resumeFleetJob, { params })
  await server.app.fleetJobs.idle()
  expect(await bell()).toEqual([])
  await fleet.answer(params.id)
  expect(await fleet.read(params.id)).toMatchObject({ state: 'done' })
  expect(await bell()).toMatchObject([
    { message: `Job J-${params.id} of ada ended: 1 machine failed.`, severity: 'warning' },
  ])
  await ada.call(retryFleetJob, { params })
  await server.app.fleetJobs.idle()
  await fleet.answer(params.id)
  expect(await fleet.read(params.id)).toMatchObject({ state: 'done', counts: { succeeded: 4 } })
  expect(await bell()).toEqual([])
})

test('a pause after the wave lets the wave finish, and starts no machine of the next one', async () => {
  await using fleet = await startFleet(4)
  const params = { id: (await fleet.start({ rollout: { waves: [{ count: 2 }], max_at_once: 1 } })).id }
  const { body: planned } = await fleet.ada.call(pauseFleetJob, { params, body: { after_wave: true } })
  expect(planned).toMatchObject({ state: 'running', pause_after_wave: true })
  await fleet.answer(params.id)
  expect(await fleet.read(params.id)).toMatchObject({
    state: 'running',
    counts: { succeeded: 1, running: 1 },
  })
  await fleet.answer(params.id)
  expect(await fleet.read(params.id)).toMatchObject({
    state: 'paused',
    counts: { succeeded: 2, running: 0, waiting: 2 },
  })
  await fleet.ada.call(resumeFleetJob, { params })
  await fleet.server.app.fleetJobs.idle()
  expect(await fleet.read(params.id)).toMatchObject({ state: 'running', wave: 2, pause_after_wave: false })
  const last = await fleet.ada.call(pauseFleetJob, { params, body: { after_wave: true } })
  expect(last.error).toMatchObject({
    code: 'conflict',
    detail: 'This is the last wave. Pause the job now.',
  })
})

test('machines of a job are read in parts, none twice', async () => {
  await using fleet = await startFleet(5)
  const job = await fleet.start()
  const all = await fleet.list(job.id)
  const parts: string[] = []
  for (;;) {
    const after = parts.at(-1)
    const query = { page_size: 2, ...(after === undefined ? {} : { after }) }
    const { body } = await fleet.ada.call(listFleetJobMachines, { params: { id: job.id }, query })
    parts.push(...body.results.map(({ agent_id }) => agent_id))
    if (body.results.length < 2) break
  }
  expect(parts).toEqual(all.map(({ agent_id }) => agent_id))
})

test('a job starts at its time on the clock of the server, and not at one that is over', async () => {
  await using fleet = await startFleet(2)
  const { server, ada, target } = fleet
  server.clock.freeze('2026-11-25T10:00:00.000Z')
  const schedule = { start: { at: 'time' as const, time: '2026-11-25T22:30:00.000Z' }, expires_hours: 1 }
  const job = await fleet.start({ schedule })
  expect(job).toMatchObject({
    state: 'scheduled',
    starts_at: schedule.start.time,
    expires_at: '2026-11-25T23:30:00.000Z',
  })
  await wait(fleet, job.id, 12.5 * 3600 - 1)
  expect(await fleet.open(job.id)).toHaveLength(0)
  await wait(fleet, job.id, 1)
  expect(await fleet.answer(job.id)).toBe(2)
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', started_at: schedule.start.time })
  await wait(fleet, job.id, 61)
  const late = await ada.call(planFleetJob, { body: { target, action: ECHO, schedule } })
  expect(late.error).toMatchObject({
    detail: 'This time is over. Choose a later one.',
    fields: { 'schedule.start': ['Choose a later time.'] },
  })
})

test('machines of a job are found by a part of their name, client or site', async () => {
  await using fleet = await startFleet(3)
  const { server, target } = fleet
  const client = await server.given.client({ name: 'Müller 100%' })
  const site = await server.given.site({ client_id: client.id, name: 'Depot_1' })
  const far = await server.given.agent({ site_id: site.id, hostname: 'db-1', connected: 1 })
  const agents = [...target.agents, far.agent_id]
  const job = await fleet.start({ target: { by: 'agents', agents } })
  const namesOf = async (search: string) =>
    (await fleet.list(job.id, { search })).map(({ hostname }) => hostname).toSorted()
  expect(await namesOf('pc-')).toEqual(['PC-0', 'PC-1', 'PC-2'])
  expect(await namesOf('c-1')).toEqual(['PC-1'])
  for (const search of ['DB', '100%', 'depot_1']) expect(await namesOf(search)).toEqual(['db-1'])
  for (const search of ['pc_', '%1', 'db-1 depot']) expect(await namesOf(search)).toEqual([])
  const params = { id: job.id }
  const query = { search: 'pc-', page_size: 1 }
  const { body } = await fleet.ada.call(listFleetJobMachines, { params, query })
  expect(body).toMatchObject({ total: 3, results: [{}] })
})
