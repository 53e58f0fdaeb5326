import { editAgent, setMaintenance } from '@muster/contract/api/agents'
import { getCheckSamples } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { deleteEndedWindows } from './jobs.ts'
import { findPeriods } from './record-periods.ts'
import { AFTER, BEFORE, prepare, WITHIN } from './test-maintenance.ts'

const seconds = (instant: string) => Date.parse(instant) / 1000
const ALWAYS = { from: 0, to: 4_000_000_000 }

test('graphs show windows with their reason, and maintenance switched by a user', async () => {
  await using world = await prepare()
  const { server, agent, far, site, call, add, goTo, given } = world
  await add([{ type: 'site', id: site.id }])
  await goTo(WITHIN)
  await goTo('2026-11-22T03:00:00Z')
  expect(await findPeriods(server.ctx.db, agent.agent_id, ALWAYS)).toEqual([
    { from: seconds(WITHIN), to: null, reason: 'New disks' },
  ])
  await goTo(AFTER)
  server.clock.freeze('2026-11-22T05:00:00Z')
  await call.call(editAgent, { params: { agent_id: agent.agent_id }, body: { maintenance_mode: true } })
  server.clock.freeze('2026-11-22T05:30:00Z')
  await call.call(setMaintenance, { body: { type: 'Client', id: site.client_id, action: false } })
  const expected = [
    { from: seconds('2026-11-22T05:00:00Z'), to: seconds('2026-11-22T05:30:00Z'), reason: '' },
    { from: seconds(WITHIN), to: seconds(AFTER), reason: 'New disks' },
  ]
  expect(await findPeriods(server.ctx.db, agent.agent_id, ALWAYS)).toEqual(expected)
  expect(await findPeriods(server.ctx.db, far.agent_id, ALWAYS)).toEqual([])
  const check = await given.check({ agent_id: agent.agent_id })
  const ask = async (from: string, to: string) => {
    const query = { from: seconds(from), to: seconds(to) }
    return (await call.call(getCheckSamples, { params: { id: check.id }, query })).body.maintenance
  }
  expect(await ask(BEFORE, '2026-11-22T05:30:00Z')).toEqual(expected)
  expect(await ask('2026-11-22T04:30:00Z', '2026-11-22T04:50:00Z')).toEqual([])
})

test('periods are kept as long as samples', async () => {
  await using world = await prepare()
  const { server, agent, site, add, goTo } = world
  await add([{ type: 'site', id: site.id }])
  await goTo(WITHIN)
  await goTo(AFTER)
  server.clock.freeze('2028-11-01T00:00:00Z')
  await deleteEndedWindows(server.ctx)
  expect(await findPeriods(server.ctx.db, agent.agent_id, ALWAYS)).toHaveLength(1)
  server.clock.freeze('2028-12-01T00:00:00Z')
  await deleteEndedWindows(server.ctx)
  expect(await findPeriods(server.ctx.db, agent.agent_id, ALWAYS)).toEqual([])
})
