import { editCheck, getCheck } from '@muster/contract/api/checks'
import type { Measured } from '@muster/contract/agent/checks'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const FULL = {
  check_type: 'diskspace',
  exists: true,
  total_bytes: 1000,
  used_bytes: 990,
  free_bytes: 10,
  inodes_total: 100,
  inodes_free: 50,
} as const satisfies Measured
const LINK = { ...FULL, link_to: '/srv' } as const

/** A machine with a disk check on each of these paths, whose results come in batches. */
async function givenDisks(paths: readonly string[]) {
  const server = await createTestServer()
  server.clock.freeze(new Date(NOW).toISOString())
  const { url } = await server.listen()
  const machine = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await machine.connect({ agentTime: server.clock.now().toISOString() })
  const ids = new Map<string, number>()
  for (const path of paths) {
    const { id } = await server.given.check({
      agent_id: machine.agentId,
      check_type: 'diskspace',
      settings: JSON.stringify({
        disk: path,
        threshold_unit: 'percent',
        warning_threshold: 25,
        error_threshold: 10,
      }),
      revision: 'disk.1',
      run_interval: 7200,
    })
    ids.set(path, id)
  }
  const root = server.as(await server.given.user({ superuser: true }))
  // Each path has a check.
  const idOf = (path: string) => ids.get(path)!
  let at = NOW - 3000 * 1000
  return {
    server,
    root,
    idOf,
    report: async (measured: Record<string, Measured>) => {
      at += 60_000
      const results = Object.entries(measured).map(([path, value]) => ({
        check_id: idOf(path),
        revision: 'disk.1',
        at: new Date(at).toISOString(),
        measured: value,
      }))
      const seq = machine.report({ kind: 'checks', results })
      await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
    },
    state: async (path: string) => {
      const { body } = await root.call(getCheck, { params: { id: idOf(path) } })
      return [body.check_result.status, body.check_result.more_info]
    },
    openAlerts: async () =>
      (
        await server.ctx.db.selectFrom('alerts').select('message').where('state', '!=', 'resolved').execute()
      ).map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a full disk and a link to it open one alert', async () => {
  await using given = await givenDisks(['/data', '/srv'])
  await given.report({ '/data': LINK, '/srv': FULL })
  expect(await given.state('/data')).toEqual(['passing', '/data is a link to /srv; checked by another check'])
  expect((await given.state('/srv'))[0]).toBe('failing')
  expect(await given.openAlerts()).toEqual([expect.stringContaining('/srv')])
  // Other thresholds judge the last measurement again.
  const settings = { check_type: 'diskspace', disk: '/data', threshold_unit: 'percent' } as const
  const body = { settings: { ...settings, warning_threshold: 60, error_threshold: 50 } }
  await given.root.call(editCheck, { params: { id: given.idOf('/data') }, body })
  expect((await given.state('/data'))[0]).toBe('passing')
})

test('the alert of a link ends when the disk itself has a check, and returns without it', async () => {
  await using given = await givenDisks(['/data', '/srv/'])
  await given.server.ctx.db
    .updateTable('checks')
    .set({ overridden_by: given.idOf('/data') })
    .where('id', '=', given.idOf('/srv/'))
    .execute()
  await given.report({ '/data': LINK })
  expect(await given.state('/data')).toEqual(['failing', expect.stringContaining('link to /srv: ')])
  expect(await given.openAlerts()).toHaveLength(1)
  await given.server.ctx.db.updateTable('checks').set({ overridden_by: null }).execute()
  await given.report({ '/data': LINK })
  expect((await given.state('/data'))[0]).toBe('passing')
  expect(await given.openAlerts()).toEqual([])
})

test('of two links to one disk, the older check judges it', async () => {
  await using given = await givenDisks(['/data', '/more'])
  await given.report({ '/more': LINK })
  expect((await given.state('/more'))[0]).toBe('failing')
  await given.report({ '/data': LINK, '/more': LINK })
  expect((await given.state('/data'))[0]).toBe('failing')
  expect(await given.state('/more')).toEqual(['passing', '/more is a link to /srv; checked by another check'])
  // A machine cannot say this itself.
  await given.report({ '/data': { ...LINK, has_other_check: true } as Measured })
  expect((await given.state('/data'))[0]).toBe('failing')
})
