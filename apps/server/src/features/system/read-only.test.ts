import { getAgent } from '@muster/contract/api/agents'
import { searchAgents } from '@muster/contract/api/agent-search'
import { listAlerts } from '@muster/contract/api/alerts'
import { deleteClient, editClient, listClients } from '@muster/contract/api/clients'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { getDashInfo } from '@muster/contract/api/system'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const MEGABYTE = 1024 * 1024
const NAME = { client: { name: 'Acme' } }

/** A server that needs 200 MB, with `free` of them now. */
async function givenDisk(free: number) {
  const disk = { free }
  const server = await createTestServer({
    env: { MUSTER_MIN_FREE_MB: '200' },
    overrides: { readFree: async () => disk.free * MEGABYTE },
  })
  server.expectLog(/the disk is nearly full/)
  return {
    server,
    set: async (megabytes: number) => {
      disk.free = megabytes
      await server.ctx.disk.measure()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('with a nearly full disk changes are refused, and reading, deleting and settings go on', async () => {
  await using disk = await givenDisk(500)
  const { server } = disk
  const ada = server.as(await server.given.user({ superuser: true }))
  const { id } = await server.given.client({ name: 'Borealis' })
  await server.given.site({ client_id: id })
  expect((await ada.call(getDashInfo, {})).body.read_only).toBe(false)
  await disk.set(199)
  expect((await ada.call(getDashInfo, {})).body.read_only).toBe(true)
  const refused = await ada.call(editClient, { params: { id }, body: NAME })
  expect([refused.status, refused.error.code]).toEqual([507, 'disk_full'])
  expect(refused.error.detail).toContain('nearly full')
  expect((await ada.call(listClients, {})).body.map(({ name }) => name)).toContain('Borealis')
  expect((await ada.call(searchAgents, { body: { search: '' } })).status).toBe(200)
  expect((await ada.call(listAlerts, { body: { top: 10 } })).status).toBe(200)
  const { body: settings } = await ada.call(getCoreSettings, {})
  expect((await ada.call(editCoreSettings, { body: { audit_log_prune_days: 7 } })).status).toBe(200)
  expect(settings.audit_log_prune_days).not.toBe(7)
  expect((await ada.call(deleteClient, { params: { id } })).status).toBe(200)
  const bob = server.as(await server.given.user({}))
  const notAllowed = await bob.call(editClient, { params: { id }, body: NAME })
  expect(notAllowed.error.code).toBe('not_allowed')
})

test('the server accepts changes again once a quarter more is free than it needs', async () => {
  await using disk = await givenDisk(100)
  const { server } = disk
  const ada = server.as(await server.given.user({ superuser: true }))
  const { client_id: id } = await server.given.site()
  const edit = async () => (await ada.call(editClient, { params: { id }, body: NAME })).status
  expect(await edit()).toBe(507)
  await disk.set(249)
  expect(await edit()).toBe(507)
  await disk.set(251)
  expect(await edit()).toBe(200)
  await disk.set(201)
  expect(await edit()).toBe(200)
})

test('results of machines are not acknowledged meanwhile, and stored when there is room', async () => {
  await using disk = await givenDisk(500)
  const { server } = disk
  const { url } = await server.listen()
  using agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await agent.connect()
  await disk.set(10)
  const from = agent.frames.length
  const seq = agent.report({ kind: 'facts', facts: { needs_reboot: true } })
  await vi.waitFor(() => expect(server.app.fleet.links.waitingReports).toBe(1))
  // A connection whose report was not stored was closed before.
  expect(server.app.fleet.links.isConnected(agent.agentId)).toBe(true)
  expect(agent.frames.slice(from).filter(({ type }) => type === 'ack')).toEqual([])
  await disk.set(500)
  await agent.next((frame) => frame.type === 'ack' && frame.seq === seq, from)
  const ada = server.as(await server.given.user({ superuser: true }))
  const { body } = await ada.call(getAgent, { params: { agent_id: agent.agentId } })
  expect(body.needs_reboot).toBe(true)
})

test('a server stops while reports wait for room', async () => {
  await using disk = await givenDisk(500)
  const { server } = disk
  const { url } = await server.listen()
  using agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await agent.connect()
  await disk.set(10)
  agent.report({ kind: 'facts', facts: { needs_reboot: true } })
  await vi.waitFor(() => expect(server.app.fleet.links.waitingReports).toBe(1))
})

test('the figures of the process name the free space', async () => {
  await using disk = await givenDisk(150)
  const { text } = await disk.server.app.api.metrics.read()
  expect(text).toContain(`muster_disk_free_bytes ${150 * MEGABYTE}`)
  expect(text).toContain('muster_read_only 1')
})
