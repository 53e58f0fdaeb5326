import { listAudit } from '@muster/contract/api/audit'
import { listFleetJobs } from '@muster/contract/api/fleet-jobs'
import {
  changeRepeatingJob,
  createRepeatingJob,
  deleteRepeatingJob,
  getRepeatingJob,
  listRepeatingJobs,
} from '@muster/contract/api/repeating-jobs'
import type { Input } from '@muster/contract/endpoint'
import type { JobRepeat } from '@muster/contract/fleet-jobs/job-draft'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { startDueJobs } from './repeating-jobs.ts'
import { type Draft, ECHO, startFleet } from '../test-fleet-jobs.ts'

const HOURLY: JobRepeat = { cron: '30 * * * *', clock: 'server' }

/** It is Wednesday, 20:00 UTC. */
async function startRepeating(count: number, repeat: JobRepeat, draft: Partial<Draft> = {}) {
  const fleet = await startFleet(count)
  const { server, ada, target } = fleet
  server.clock.freeze('2026-11-25T20:00:00Z')
  const { body: repeating } = await ada.call(createRepeatingJob, {
    body: { draft: { target, action: ECHO, ...draft }, repeat },
  })
  const goTo = async (instant: string) => {
    server.clock.freeze(instant)
    await startDueJobs(server.ctx, server.app.fleet)
    const jobs = (await ada.call(listFleetJobs, { query: {} })).body
    for (const { id } of jobs) server.app.fleetJobs.wake(id)
    await server.app.fleetJobs.idle()
    return jobs
  }
  const listed = async () => (await ada.call(listRepeatingJobs, {})).body[0]
  return { ...fleet, repeating, goTo, listed }
}

test('each time is planned again, runs as a job of its own, and is never run twice', async () => {
  await using fleet = await startRepeating(2, HOURLY, { target: { by: 'all' } })
  const { server, site, repeating } = fleet
  expect(repeating).toMatchObject({ next_at: '2026-11-25T20:30:00.000Z', last_at: null, last_job: null })
  expect(await fleet.goTo('2026-11-25T20:29:59Z')).toEqual([])
  const [first] = await fleet.goTo('2026-11-25T20:30:00Z')
  expect(first).toMatchObject({ repeat_of: repeating.id, counts: { waiting: 2 }, created_by: 'ada' })
  expect(await fleet.goTo('2026-11-25T20:30:01Z')).toHaveLength(1)
  expect(await fleet.listed()).toMatchObject({
    next_at: '2026-11-25T21:30:00.000Z',
    last_at: '2026-11-25T20:30:00.000Z',
    last_job: first?.id,
  })
  const { agent_id } = await server.given.agent({ site_id: site.id, connected: 1 })
  server.ctx.emit({ type: 'agent.added', ids: [agent_id], agent_ids: [agent_id] })
  const [second] = await fleet.goTo('2026-11-25T21:30:00Z')
  expect(second).toMatchObject({ repeat_of: repeating.id, counts: { waiting: 3 } })
  // Offline machines of the first job no longer get it.
  expect(first?.expires_at).toBe('2026-11-25T21:30:00.000Z')
})

test('two servers plan one time once', async () => {
  await using fleet = await startRepeating(1, HOURLY)
  const { server, ada } = fleet
  server.clock.freeze('2026-11-25T20:30:00Z')
  await Promise.all([1, 2, 3].map(() => startDueJobs(server.ctx, server.app.fleet)))
  expect((await ada.call(listFleetJobs, { query: {} })).body).toHaveLength(1)
})

test('a time that the server missed by more than an hour has no job, and says so', async () => {
  await using fleet = await startRepeating(1, { cron: '0 21 * * *', clock: 'server' })
  expect(await fleet.goTo('2026-11-25T22:30:00Z')).toEqual([])
  expect(await fleet.listed()).toMatchObject({
    next_at: '2026-11-26T21:00:00.000Z',
    last_job: null,
    last_problem: 'The server was not running at this time.',
  })
})

test('by the clocks of machines, each starts at its own time in one job', async () => {
  const repeat: JobRepeat = { cron: '0 22 * * *', clock: 'machine' }
  await using fleet = await startRepeating(2, repeat)
  const { server, agentIds, repeating } = fleet
  for (const [i, agent_id] of agentIds.entries())
    await server.ctx.db
      .updateTable('agents')
      .set({ time_zone: ['UTC', 'America/New_York'][i] ?? null })
      .where('agent_id', '=', agent_id)
      .execute()
  expect(repeating.next_local).toBe('2026-11-25T22:00')
  const [job] = await fleet.goTo('2026-11-25T20:01:00Z')
  expect((await fleet.list(job?.id ?? 0)).map(({ due_at }) => due_at ?? '').toSorted()).toEqual([
    '2026-11-25T22:00:00.000Z',
    '2026-11-26T03:00:00.000Z',
  ])
  expect(await fleet.listed()).toMatchObject({ next_local: '2026-11-26T22:00', last_job: job?.id })
  await fleet.goTo('2026-11-25T22:00:00Z')
  expect(await fleet.open(job?.id ?? 0)).toHaveLength(1)
})

test('a paused one plans nothing, a resumed one its next time, and a deleted one is gone', async () => {
  await using fleet = await startRepeating(1, HOURLY)
  const { ada, repeating } = fleet
  const params = { id: repeating.id }
  const paused = await ada.call(changeRepeatingJob, { params, body: { paused: true } })
  expect(paused.body).toMatchObject({ paused: true, next_at: null })
  expect(await fleet.goTo('2026-11-25T21:45:00Z')).toEqual([])
  const resumed = await ada.call(changeRepeatingJob, { params, body: { paused: false } })
  expect(resumed.body).toMatchObject({ paused: false, next_at: '2026-11-25T22:30:00.000Z' })
  await ada.call(deleteRepeatingJob, { params })
  expect(await fleet.listed()).toBeUndefined()
  expect(await fleet.goTo('2026-11-25T22:30:00Z')).toEqual([])
})

test('it runs with the rights that its creator has then, and others do not see it', async () => {
  await using fleet = await startRepeating(2, HOURLY)
  const { server, site } = fleet
  const other = await server.given.site()
  await server.given.agent({ site_id: other.id, connected: 1 })
  const options = { permissions: PERMISSIONS, clients: [site.client_id], username: 'bob' }
  const bob = server.as(await server.given.user(options))
  const { body: own } = await bob.call(createRepeatingJob, {
    body: { draft: { target: { by: 'all' }, action: ECHO }, repeat: HOURLY },
  })
  const eve = server.as(await server.given.user({ permissions: PERMISSIONS, clients: [other.client_id] }))
  expect((await eve.call(listRepeatingJobs, {})).body).toEqual([])
  const stolen = await eve.call(deleteRepeatingJob, { params: { id: own.id } })
  expect(stolen.error.code).toBe('not_found')
  const jobs = await fleet.goTo('2026-11-25T20:30:00Z')
  expect(jobs.find(({ created_by }) => created_by === 'bob')).toMatchObject({ counts: { waiting: 2 } })
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('username', '=', 'bob').execute()
  await fleet.goTo('2026-11-25T21:30:00Z')
  const row = (await fleet.ada.call(listRepeatingJobs, {})).body.find(({ id }) => id === own.id)
  expect(row).toMatchObject({ last_job: null, last_problem: 'bob may no longer do this on machines.' })
})

test('an edited one runs with the rights of its editor from then on', async () => {
  await using fleet = await startRepeating(2, HOURLY, { name: 'Nightly' })
  const { server, ada, repeating } = fleet
  const params = { id: repeating.id }
  const { body: opened } = await ada.call(getRepeatingJob, { params })
  expect(opened).toMatchObject({ edited_by: null, draft: { name: 'Nightly', action: ECHO } })
  const bob = server.as(await server.given.user({ permissions: PERMISSIONS, username: 'bob' }))
  const draft = { ...opened.draft, name: 'Weekly', action: { ...ECHO, cmd: 'echo edited' } }
  const repeat: JobRepeat = { cron: '45 * * * *', clock: 'server' }
  const body = { draft, repeat, modified: opened.modified }
  expect((await bob.call(changeRepeatingJob, { params, body })).body).toMatchObject({
    name: 'Weekly',
    action_text: 'Run the command "echo edited"',
    created_by: 'ada',
    edited_by: 'bob',
    next_at: '2026-11-25T20:45:00.000Z',
  })
  expect(await fleet.goTo('2026-11-25T20:30:00Z')).toEqual([])
  const [job] = await fleet.goTo('2026-11-25T20:45:00Z')
  expect(job).toMatchObject({ name: 'Weekly', created_by: 'bob', counts: { waiting: 2 } })
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('username', '=', 'bob').execute()
  await fleet.goTo('2026-11-25T21:45:00Z')
  expect(await fleet.listed()).toMatchObject({ last_problem: 'bob may no longer do this on machines.' })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  const row = audit_logs.find(({ message }) => message === 'Changed the repeating job "Nightly"')
  expect(row).toMatchObject({
    username: 'bob',
    before_value: { name: 'Nightly', cron: HOURLY.cron, rights_of: 'ada', action: ECHO },
    after_value: { name: 'Weekly', cron: repeat.cron, rights_of: 'bob', action: { cmd: 'echo edited' } },
  })
})

test('an edit over a newer version, without the right, or that cannot be planned changes nothing', async () => {
  await using fleet = await startRepeating(1, HOURLY)
  const { server, ada, repeating } = fleet
  const params = { id: repeating.id }
  const { draft, modified } = (await ada.call(getRepeatingJob, { params })).body
  const edit = (more: object, caller = ada) =>
    caller.call(changeRepeatingJob, { params, body: { draft, modified, ...more } })
  const { body: saved } = await edit({ draft: { ...draft, name: 'First' } })
  expect(saved.name).toBe('First')
  const { error } = await edit({ draft: { ...draft, name: 'Second' } })
  expect(error.code).toBe('changed_meanwhile')
  const viewer = server.as(
    await server.given.user({ permissions: ['can_list_agent_history', 'can_list_agents'] }),
  )
  expect((await viewer.call(getRepeatingJob, { params })).error.code).toBe('not_allowed')
  expect((await edit({ modified: saved.modified }, viewer)).error.code).toBe('not_allowed')
  const other = await server.given.site()
  const limited = { permissions: PERMISSIONS, clients: [other.client_id] }
  const eve = server.as(await server.given.user(limited))
  expect((await eve.call(getRepeatingJob, { params })).error.code).toBe('not_found')
  expect((await edit({ modified: saved.modified }, eve)).error.code).toBe('not_found')
  const action = { type: 'script', script: 999_999 }
  expect((await edit({ modified: saved.modified, draft: { ...draft, action } })).status).toBe(404)
  const often = { cron: '* * * * *', clock: 'server' }
  expect((await edit({ modified: saved.modified, repeat: often })).error.fields).toHaveProperty([
    'repeat.cron',
  ])
  expect(await fleet.listed()).toEqual(saved)
})

test('a paused one stays paused when it is edited, and an edit of the action keeps its next time', async () => {
  await using fleet = await startRepeating(1, HOURLY)
  const { ada, repeating } = fleet
  const params = { id: repeating.id }
  const edit = async (body: Input<typeof changeRepeatingJob>['body']) =>
    (await ada.call(changeRepeatingJob, { params, body })).body
  const draft = { target: fleet.target, action: { type: 'run_checks' as const } }
  expect(await edit({ draft })).toMatchObject({ action: 'run_checks', next_at: repeating.next_at })
  const repeat: JobRepeat = { cron: '0 3 * * *', clock: 'machine' }
  expect(await edit({ repeat, paused: true })).toMatchObject({ ...repeat, paused: true, next_at: null })
  expect(await edit({ draft: { ...draft, name: 'Checks' } })).toMatchObject({ paused: true, next_at: null })
  expect(await edit({ paused: false })).toMatchObject({ name: 'Checks', next_local: '2026-11-26T03:00' })
})

test.each([
  ['*/5 * * * *', 'A job repeats at most once an hour. Use a task for more.'],
  ['at noon', 'Use minute, hour, day of the month, month and day of the week, for example 30 2 * * mon-fri.'],
])('the cron expression "%s" is refused', async (cron, sentence) => {
  await using fleet = await startFleet(1)
  const { error } = await fleet.ada.call(createRepeatingJob, {
    body: { draft: { target: fleet.target, action: ECHO }, repeat: { cron } },
  })
  expect(error.fields).toEqual({ 'repeat.cron': [sentence] })
})
