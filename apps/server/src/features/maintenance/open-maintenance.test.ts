import { editAgent, setMaintenance } from '@muster/contract/api/agents'
import { getDashInfo } from '@muster/contract/api/system'
import {
  createMaintenanceWindow,
  editMaintenanceWindow,
  endMaintenanceWindow,
  listOpenMaintenance,
} from '@muster/contract/api/maintenance'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import type { TestClient } from '../../testing/test-client.ts'
import { ONCE, prepare, WITHIN } from './test-maintenance.ts'

const NO_END = { starts: '2026-11-22T01:59', minutes: null }
const NOW = { starts: '2026-11-22T01:59', minutes: 120 }

async function namesOf(call: TestClient) {
  const { body } = await call.call(listOpenMaintenance, {})
  return body.map(({ targets, agent_count: count }) => [targets.map(({ name }) => name).join(' + '), count])
}

const hasFlag = async (call: TestClient) => (await call.call(getDashInfo, {})).body.open_maintenance

test('all maintenance without an end is listed: windows, clients, sites and machines', async () => {
  await using world = await prepare()
  const { given, site, other, agent, far, call } = world
  expect(await namesOf(call)).toEqual([])
  expect(await hasFlag(call)).toBe(false)
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: true } })
  expect(await namesOf(call)).toEqual([['pc-1', 1]])
  expect(await hasFlag(call)).toBe(true)
  await given.agent({ site_id: site.id, hostname: 'pc-3' })
  await call.call(setMaintenance, { body: { type: 'Site', id: site.id, action: true } })
  expect(await namesOf(call)).toEqual([[expect.stringMatching(/, Berlin$/), 2]])
  await call.call(setMaintenance, { body: { type: 'Client', id: site.client_id, action: true } })
  const { body } = await call.call(listOpenMaintenance, {})
  expect(body).toMatchObject([
    {
      window_id: null,
      targets: [{ type: 'client', id: site.client_id }],
      agent_count: 3,
      since: '2026-11-22T01:59:59.000Z',
    },
  ])
  await call.call(setMaintenance, { body: { type: 'Client', id: site.client_id, action: false } })
  const window = await world.add([{ type: 'site', id: other.id }], NO_END)
  await world.add([{ type: 'agent', id: far.agent_id }], NOW)
  const [open, ...others] = (await call.call(listOpenMaintenance, {})).body
  expect(others).toEqual([])
  expect(open).toMatchObject({
    window_id: window.id,
    agent_count: 1,
    reason: 'New disks',
    since: '2026-11-22T01:59:00.000Z',
  })
  await call.call(endMaintenanceWindow, { params: { id: window.id } })
  expect(await namesOf(call)).toEqual([])
  expect(await hasFlag(call)).toBe(false)
})

test('a window that gets an end leaves the list', async () => {
  await using world = await prepare()
  const { site, call } = world
  const targets = [{ type: 'site' as const, id: site.id }]
  const window = await world.add(targets, NO_END)
  expect(await namesOf(call)).toHaveLength(1)
  const schedule = { ...ONCE, ...NOW }
  await call.call(editMaintenanceWindow, {
    params: { id: window.id },
    body: { reason: '', targets, schedule },
  })
  expect(await namesOf(call)).toEqual([])
})

test('maintenance without an end is listed only within the scope', async () => {
  await using world = await prepare()
  const { site, other, server, given, call } = world
  await call.call(setMaintenance, { body: { type: 'Client', id: site.client_id, action: true } })
  await world.add([{ type: 'site', id: other.id }], NO_END, 'Hidden reason')
  const berlin = server.as(await given.user({ permissions: PERMISSIONS, sites: [site.id] }))
  const { body, text } = await berlin.call(listOpenMaintenance, {})
  expect(body.map(({ targets }) => targets)).toEqual([
    [{ type: 'agent', id: world.agent.agent_id, name: 'pc-1' }],
  ])
  expect(text).not.toMatch(/Hidden|Bern/)
  const nothing = await given.site({ name: 'Elsewhere' })
  const stranger = server.as(await given.user({ permissions: PERMISSIONS, sites: [nothing.id] }))
  expect(await namesOf(stranger)).toEqual([])
  expect(await hasFlag(stranger)).toBe(false)
  const blind = server.as(await given.user({ permissions: ['can_list_clients'] }))
  expect(await hasFlag(blind)).toBe(false)
})

test('a window that starts at once takes over open maintenance, and ends it', async () => {
  await using world = await prepare()
  const { agent, far, site, call, goTo, mode, server } = world
  for (const { agent_id } of [agent, far]) {
    await call.call(editAgent, { params: { agent_id }, body: { maintenance_mode: true } })
  }
  const events: string[] = []
  server.ctx.onEvent(({ type, ids }) => events.push(`${type} ${ids.join()}`))
  const targets = [{ type: 'site' as const, id: site.id }]
  const { body: window } = await call.call(createMaintenanceWindow, {
    body: { reason: '', targets, schedule: { ...ONCE, ...NOW } },
  })
  expect(window.taken_over).toBe(1)
  expect(events).toContain(`agent.changed ${agent.agent_id}`)
  expect(await namesOf(call)).toEqual([['pc-2', 1]])
  await goTo('2026-11-22T03:59:00Z')
  expect(await mode(agent.agent_id)).toEqual([0, null])
  expect(await mode(far.agent_id)).toEqual([1, null])
})

test('a later window does not take over open maintenance', async () => {
  await using world = await prepare()
  const { agent, site, call, goTo, mode } = world
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: true } })
  const { body: window } = await call.call(createMaintenanceWindow, {
    body: { reason: '', targets: [{ type: 'site', id: site.id }], schedule: ONCE },
  })
  expect(window.taken_over).toBe(0)
  await goTo(WITHIN)
  expect(await mode(agent.agent_id)).toEqual([1, null])
})

test('consoles are notified of maintenance switched by a user', async () => {
  await using world = await prepare()
  const { agent, site, call, server } = world
  const events: string[] = []
  server.ctx.onEvent(({ type }) => events.push(type))
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: true } })
  expect(events).toContain('maintenance.changed')
  events.length = 0
  await call.call(setMaintenance, { body: { type: 'Site', id: site.id, action: false } })
  expect(events).toContain('maintenance.changed')
})
