import { createAlert } from '@muster/contract/api/alerts'
import { scrapeMachines } from '@muster/contract/api/metrics'
import { expect, test } from 'vitest'
import type { TestClient } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { storeFactReports } from '../agents/store-facts.ts'
import { storeMetrics } from './store-metrics.ts'

const NOW = '2026-11-27T12:00:00.000Z'
const SECONDS = Date.parse(NOW) / 1000

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOW)
  const { given } = server
  const owner = await given.user({ superuser: true })
  const site = await given.site({ client_id: (await given.client({ name: 'Acme' })).id, name: 'North' })
  return {
    server,
    given,
    owner,
    site,
    root: server.as(owner),
    program: server.withKey(await given.apiKey(owner)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Samples of a family by host name, in the order of the text. */
async function scrape(client: TestClient, name: string, query = '') {
  const { status, text } = await client.send({ method: 'GET', url: `/metrics/machines${query}` })
  expect(status, text).toBe(200)
  const lines = text.split('\n').filter((line) => line.startsWith(`muster_machine_${name}{`))
  return lines.map((line) => [/hostname="([^"]*)"/.exec(line)?.[1], Number(line.split(' ').at(-1))])
}

test('each machine is a series with its labels, and unknown values have none', async () => {
  await using fixture = await prepare()
  const { server, given, root, program, site } = fixture
  const { ctx } = server
  const srv = await given.agent({ hostname: 'SRV-1', site_id: site.id, connected: 1 })
  const pc = await given.agent({
    hostname: 'PC-1',
    site_id: site.id,
    last_seen: '2026-11-26T12:00:00.000Z',
    maintenance_mode: 1,
  })
  const disk = { device: 'sda1', mount: '/', fstype: 'ext4', total: 1000, used: 750, free: 250, percent: 75 }
  const facts = {
    hostname: 'SRV-1',
    platform: 'linux',
    arch: 'x64',
    needs_reboot: true,
    total_ram: 8_000_000,
    boot_time: SECONDS - 60,
    // Machines may report anything: the same mount twice would make a scrape fail.
    disks: [disk, { ...disk, free: 200 }, { ...disk, mount: '/da"ta\\\n' }],
  } as const
  await ctx.transaction((tx, emit) =>
    storeFactReports({ ctx, tx, emit }, [
      { agentId: srv.agent_id, report: { kind: 'facts', facts: { ...facts, disks: [...facts.disks] } } },
    ]),
  )
  await ctx.transaction((tx) =>
    storeMetrics(tx, ctx, [
      { agentId: srv.agent_id, sample: { at: NOW, values: { cpu: 12.5, memory: 50, swap: 0, load: 1.5 } } },
    ]),
  )
  await root.call(createAlert, { body: { message: 'Late', severity: 'error', agent: srv.agent_id } })
  await ctx.db
    .insertInto('machine_patches')
    .values({ agent: pc.id, hash: 'a', patches: '[]', pending: 3, left_out: 0, problem: null, looked_at: NOW, changed_at: NOW })
    .execute() // prettier-ignore

  const { headers, text } = await program.send({ method: 'GET', url: '/metrics/machines' })
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const labels = `hostname="SRV-1",client="Acme",site="North",agent_id="${srv.agent_id}"`
  expect(text).toContain(
    `# HELP muster_machine_up 1 if the agent is connected\n# TYPE muster_machine_up gauge\nmuster_machine_up{${labels}} 1\n`,
  )
  expect(text).toContain(`muster_machine_disk_free_bytes{${labels},mount="/"} 200\n`)
  expect(text).toContain(String.raw`,mount="/da\"ta\\\n"} 250`)
  expect(text.match(/^muster_machine_disk_free_bytes/gm)).toHaveLength(2)
  const both = async (name: string) => scrape(program, name)
  expect(await both('up')).toEqual([['SRV-1', 1], ['PC-1', 0]]) // prettier-ignore
  expect(await both('overdue')).toEqual([['SRV-1', 0], ['PC-1', 1]]) // prettier-ignore
  expect(await both('maintenance')).toEqual([['SRV-1', 0], ['PC-1', 1]]) // prettier-ignore
  expect(await both('last_seen_timestamp_seconds')).toEqual([['SRV-1', SECONDS], ['PC-1', SECONDS - 86_400]]) // prettier-ignore
  expect(await both('boot_timestamp_seconds')).toEqual([['SRV-1', SECONDS - 60]])
  expect(await both('cpu_ratio')).toEqual([['SRV-1', 0.125]])
  expect(await both('memory_ratio')).toEqual([['SRV-1', 0.5]])
  expect(await both('memory_bytes')).toEqual([['SRV-1', 8_000_000]])
  expect(await both('load')).toEqual([['SRV-1', 1.5]])
  expect(await both('alerts_open')).toEqual([['SRV-1', 1], ['PC-1', 0]]) // prettier-ignore
  expect(await both('patches_pending')).toEqual([['PC-1', 3]])
  expect(await both('reboot_needed')).toEqual([['SRV-1', 1], ['PC-1', 0]]) // prettier-ignore
  expect(await both('checks_failing')).toEqual([['SRV-1', 0], ['PC-1', 0]]) // prettier-ignore
})

test('a key sees the machines and the counts of its role only, and sends itself as a bearer token too', async () => {
  await using fixture = await prepare()
  const { server, given, owner, site } = fixture
  await given.agent({ hostname: 'mine', site_id: site.id })
  const other = await given.agent({ hostname: 'other' })
  await fixture.root.call(createAlert, {
    body: { message: 'Late', severity: 'error', agent: other.agent_id },
  })
  const narrow = { permissions: ['can_list_agents'] as const, clients: [site.client_id] }
  const key = await given.apiKey(owner, narrow)
  for (const headers of [{ 'x-api-key': key.key }, { authorization: `Bearer ${key.key}` }]) {
    const program = server.anonymous
    program.headers = headers
    expect(await scrape(program, 'up')).toEqual([['mine', 0]])
    const { text } = await program.send({ method: 'GET', url: '/metrics/machines/' })
    expect(text).not.toMatch(/other|alerts_open|patches_pending/)
  }
  expect(await scrape(fixture.program, 'up', `?client=${site.client_id}`)).toEqual([['mine', 0]])
  expect(await scrape(fixture.program, 'alerts_open')).toEqual(
    expect.arrayContaining([['mine', 0], ['other', 1]]), // prettier-ignore
  )
  const noList = server.withKey(await given.apiKey(owner, { permissions: ['can_list_checks'] }))
  expect((await noList.call(scrapeMachines, {})).status).toBe(403)
  expect((await server.anonymous.call(scrapeMachines, {})).status).toBe(401)
  const twice = server.withKey(key)
  twice.headers = { ...twice.headers, authorization: `Bearer ${key.key}` }
  expect((await twice.call(scrapeMachines, {})).status).toBe(400)
  const unknown = server.anonymous
  unknown.headers = { authorization: 'Bearer muster_of_another_installation' }
  expect((await unknown.call(scrapeMachines, {})).error.detail).toBe('This API key is not known.')
})

test('names of machines and clients cannot add series', async () => {
  await using fixture = await prepare()
  const { given, program } = fixture
  const client = await given.client({ name: 'A"} 5\nmuster_machine_up{client="B' })
  const site = await given.site({ client_id: client.id, name: 'back\\' })
  await given.agent({ hostname: 'nul\x01\r', site_id: site.id })
  const { text } = await program.call(scrapeMachines, {})
  expect(text.match(/^muster_machine_up\{.*$/gm)).toEqual([
    expect.stringContaining(
      String.raw`{hostname="nul  ",client="A\"} 5\nmuster_machine_up{client=\"B",site="back\\",agent_id=`,
    ),
  ])
})
