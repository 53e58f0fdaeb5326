import { editAgent, getAgent, setMaintenance } from '@muster/contract/api/agents'
import {
  deleteMaintenanceWindow,
  editMaintenanceWindow,
  endMaintenanceWindow,
  listMaintenanceWindows,
} from '@muster/contract/api/maintenance'
import { expect, test } from 'vitest'
import { AFTER, BEFORE, modeOf, ONCE, prepare, SUNDAYS, WITHIN } from './test-maintenance.ts'

test('spec, maintenance: a window switches its machines on at its start and off at its end, and no others', async () => {
  await using world = await prepare()
  const { agent, far, site, goTo, mode, server } = world
  const events: string[] = []
  server.ctx.onEvent(({ type, ids }) => events.push(`${type} ${ids.join()}`))
  const window = await world.add([{ type: 'site', id: site.id }])
  expect(window).toMatchObject({ active: false, next_start: '2026-11-22T02:00:00.000Z', agent_count: 1 })
  expect(await mode(agent.agent_id)).toEqual([0, null])
  await goTo(WITHIN)
  expect(await mode(agent.agent_id)).toEqual([1, window.id])
  expect(await mode(far.agent_id)).toEqual([0, null])
  expect(events).toContain(`agent.changed ${agent.agent_id}`)
  expect(events).toContain('maintenance.changed ')
  const [listed] = (await world.call.call(listMaintenanceWindows, {})).body
  expect(listed).toMatchObject({ active: true, active_until: '2026-11-22T04:00:00.000Z', next_start: null })
  const detail = await world.call.call(getAgent, { params: { agent_id: agent.agent_id } })
  expect(detail.body).toMatchObject({ maintenance_mode: true, maintenance_by: window.id })
  await goTo('2026-11-22T03:59:59Z')
  expect(await mode(agent.agent_id)).toEqual([1, window.id])
  await goTo(AFTER)
  expect(await mode(agent.agent_id)).toEqual([0, null])
})

test('windows start and end by time alone', async () => {
  await using world = await prepare()
  const { agent, site, mode } = world
  await world.add([{ type: 'site', id: site.id }])
  world.server.clock.freeze(WITHIN)
  await expect.poll(() => mode(agent.agent_id)).toEqual([1, expect.any(Number)])
  world.server.clock.freeze(AFTER)
  await expect.poll(() => mode(agent.agent_id)).toEqual([0, null])
})

test('a window that starts now is already on in the response', async () => {
  await using world = await prepare()
  const { agent, mode } = world
  const target = { type: 'agent' as const, id: agent.agent_id }
  const window = await world.add([target], { starts: '2026-11-22T01:59', minutes: null })
  expect(window).toMatchObject({ active: true, active_until: null, agent_count: 1 })
  expect(await mode(agent.agent_id)).toEqual([1, window.id])
  const ended = await world.call.call(endMaintenanceWindow, { params: { id: window.id } })
  expect(ended.body).toMatchObject({ active: false, next_start: null })
  expect(await mode(agent.agent_id)).toEqual([0, null])
  const again = await world.call.call(endMaintenanceWindow, { params: { id: window.id } })
  expect(again.error).toMatchObject({ code: 'already_finished' })
})

test('a machine switched on by a user stays on before, during and after a window', async () => {
  await using world = await prepare()
  const { agent, site, call, goTo, mode } = world
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: true } })
  await world.add([{ type: 'site', id: site.id }])
  for (const instant of [WITHIN, AFTER]) {
    await goTo(instant)
    expect(await mode(agent.agent_id)).toEqual([1, null])
  }
})

test.each(['directly', 'with its site', 'with its client'])(
  'a machine switched off %s during a window stays off until the next start of the window',
  async (how) => {
    await using world = await prepare()
    const { agent, site, call, goTo, mode } = world
    await world.add([{ type: 'client', id: site.client_id }], SUNDAYS)
    await goTo(WITHIN)
    if (how === 'directly') {
      await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: false } })
    } else if (how === 'with its site') {
      await call.call(setMaintenance, { body: { type: 'Site', id: site.id, action: false } })
    } else {
      await call.call(setMaintenance, { body: { type: 'Client', id: site.client_id, action: false } })
    }
    await goTo('2026-11-22T03:00:00Z')
    expect(await mode(agent.agent_id)).toEqual([0, null])
    await goTo(AFTER)
    expect(await mode(agent.agent_id)).toEqual([0, null])
    await goTo('2026-11-29T02:00:00Z')
    expect(await mode(agent.agent_id)).toEqual([1, expect.any(Number)])
  },
)

test('saving the form of a machine does not detach it from its window', async () => {
  await using world = await prepare()
  const { agent, site, call, goTo, mode } = world
  const window = await world.add([{ type: 'site', id: site.id }])
  await goTo(WITHIN)
  const body = { maintenance_mode: true, description: 'new' }
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body })
  expect(await mode(agent.agent_id)).toEqual([1, window.id])
  await goTo(AFTER)
  expect(await mode(agent.agent_id)).toEqual([0, null])
})

test('switching off the exact target of a single window ends it, and a recurring one continues', async () => {
  await using world = await prepare()
  const { site, call, goTo } = world
  const target = [{ type: 'site' as const, id: site.id }]
  const single = await world.add(target, { minutes: null })
  const recurring = await world.add(target, SUNDAYS)
  await goTo(WITHIN)
  await call.call(setMaintenance, { body: { type: 'Site', id: site.id, action: false } })
  const { body } = await call.call(listMaintenanceWindows, {})
  expect(body.map(({ id, active }) => [id, active])).toEqual([
    [single.id, false],
    [recurring.id, true],
  ])
})

test('machines that are added or moved during a window follow', async () => {
  await using world = await prepare()
  const { far, site, other, given, call, goTo, mode } = world
  const window = await world.add([{ type: 'site', id: site.id }])
  await goTo(WITHIN)
  const late = await given.agent({ site_id: site.id })
  await call.call(editAgent, { params: { agent_id: far.agent_id }, body: { site: site.id } })
  await goTo('2026-11-22T02:00:05Z')
  expect(await mode(late.agent_id)).toEqual([1, window.id])
  expect(await mode(far.agent_id)).toEqual([1, window.id])
  await call.call(editAgent, { params: { agent_id: far.agent_id }, body: { site: other.id } })
  await goTo('2026-11-22T02:00:10Z')
  expect(await mode(far.agent_id)).toEqual([0, null])
  expect(await mode(late.agent_id)).toEqual([1, window.id])
})

test('with overlapping windows the machine leaves maintenance at the later end', async () => {
  await using world = await prepare()
  const { agent, site, goTo, mode } = world
  const first = await world.add([{ type: 'site', id: site.id }], { minutes: 60 })
  const second = await world.add([{ type: 'client', id: site.client_id }], { starts: '2026-11-22T02:30' })
  await goTo('2026-11-22T02:30:00Z')
  expect(await mode(agent.agent_id)).toEqual([1, first.id])
  await goTo('2026-11-22T03:00:00Z')
  expect(await mode(agent.agent_id)).toEqual([1, second.id])
  await goTo('2026-11-22T04:30:00Z')
  expect(await mode(agent.agent_id)).toEqual([0, null])
})

test('deleting or moving a window ends the maintenance of its machines at once', async () => {
  await using world = await prepare()
  const { agent, far, site, call, goTo, mode } = world
  const window = await world.add([{ type: 'site', id: site.id }])
  await goTo(WITHIN)
  const params = { id: window.id }
  const moved = { reason: '', targets: [{ type: 'agent' as const, id: far.agent_id }], schedule: ONCE }
  await call.call(editMaintenanceWindow, { params, body: moved })
  expect(await mode(agent.agent_id)).toEqual([0, null])
  expect(await mode(far.agent_id)).toEqual([1, window.id])
  await call.call(deleteMaintenanceWindow, { params })
  expect(await mode(far.agent_id)).toEqual([0, null])
  expect((await call.call(listMaintenanceWindows, {})).body).toEqual([])
})

test('deleting a site removes it from its windows', async () => {
  await using world = await prepare()
  const { site, other, call } = world
  await world.add([
    { type: 'site', id: site.id },
    { type: 'site', id: other.id },
  ])
  const url = `/clients/sites/${site.id}/?move_to_site=${other.id}`
  expect((await call.send({ method: 'DELETE', url })).status).toBe(200)
  const [window] = (await call.call(listMaintenanceWindows, {})).body
  expect(window?.targets.map(({ name }) => name)).toEqual([expect.stringMatching(/, Bern$/)])
  expect(window?.agent_count).toBe(2)
})

test.each([
  ['in the middle of the window', '2026-11-22T03:00:00Z', 1],
  ['after its end', AFTER, 0],
])('a server that starts %s is up to date before it responds', async (_name, instant, expected) => {
  await using world = await prepare()
  const { agent, site, server, goTo } = world
  await world.add([{ type: 'site', id: site.id }])
  if (expected === 0) await goTo('2026-11-22T03:00:00Z')
  // The state after a restart.
  await using second = await world.openSecond(() => new Date(instant))
  const [mode] = await modeOf(second, agent.agent_id)
  expect(mode).toBe(expected)
  const tellings = await server.ctx.db
    .selectFrom('audit_log')
    .select('message')
    .where('username', '=', 'server')
    .execute()
  expect(tellings).toEqual([
    { message: 'Switched maintenance mode on for 1 machine by a window: "New disks"' },
  ])
})

test('two processes apply it once', async () => {
  await using world = await prepare()
  const { site, server, given } = world
  for (let index = 0; index < 50; index++) await given.agent({ site_id: site.id })
  await world.add([{ type: 'site', id: site.id }])
  let instant = BEFORE
  await using second = await world.openSecond(() => new Date(instant))
  for (const next of [WITHIN, AFTER]) {
    instant = next
    server.clock.freeze(next)
    await Promise.all([server.app.maintenance.run(), second.app.maintenance.run()])
    const rows = await server.ctx.db.selectFrom('agents').select('maintenance_mode').execute()
    expect(rows.filter((row) => row.maintenance_mode === 1)).toHaveLength(next === WITHIN ? 51 : 0)
  }
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select('message')
    .where('username', '=', 'server')
    .execute()
  expect(rows).toHaveLength(1)
})
