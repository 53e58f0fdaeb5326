import { endMaintenanceWindow } from '@muster/contract/api/maintenance'
import { expect, test } from 'vitest'
import { findOpenings } from './find-openings.ts'
import { prepare, SUNDAYS } from './test-maintenance.ts'

test('the windows of a machine are those of its own, its site and its client', async () => {
  await using world = await prepare()
  const { agent, far, site, server, given } = world
  const uncovered = await given.agent({ site_id: (await given.site()).id })
  await world.add([{ type: 'agent', id: agent.agent_id }], { ...SUNDAYS, weekdays: [3] })
  const ofSite = await world.add([{ type: 'site', id: site.id }], SUNDAYS)
  await world.add([{ type: 'client', id: site.client_id }], { ...SUNDAYS, weekdays: [6] })
  const ids = [agent.agent_id, far.agent_id, uncovered.agent_id]
  const open = async (instant: string) => {
    const found = await findOpenings(server.ctx.db, ids, new Date(instant))
    return ids.map((id) => {
      const startMs = found.get(id)?.startMs
      return startMs === undefined ? undefined : new Date(startMs).toISOString().slice(0, 16)
    })
  }
  expect(await open('2026-11-22T03:00:00Z')).toEqual(['2026-11-22T02:00', '2026-11-28T02:00', undefined])
  expect(await open('2026-11-22T04:00:00Z')).toEqual(['2026-11-25T02:00', '2026-11-28T02:00', undefined])
  await world.goTo('2026-11-22T03:00:00Z')
  await world.call.call(endMaintenanceWindow, { params: { id: ofSite.id } })
  expect(await open('2026-11-22T03:30:00Z')).toEqual(['2026-11-25T02:00', '2026-11-28T02:00', undefined])
})
