import { listAudit } from '@muster/contract/api/audit'
import { rebootAgent, shutdownAgent, wakeAgent } from '@muster/contract/api/power'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site({ name: 'Dresden' })
  const agent = await TestAgent.enrol(server, url, site.id)
  const permissions = ['can_reboot_agents', 'can_send_wol', 'can_view_auditlogs'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const written = async () => {
    const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
    return audit_logs.filter(({ action }) => action === 'modify').map(({ message }) => message)
  }
  const params = { agent_id: agent.agentId }
  return { url, site, agent, ada, params, written, [Symbol.dispose]: () => agent.cut() }
}

/** Responds to the next request to a machine. */
async function answer(agent: TestAgent, from: number, more: object) {
  const { payload } = await agent.nextCommand(from)
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
  return payload
}

test('a machine restarts or shuts down at once, with an audit row', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  await agent.connect()
  let from = agent.frames.length
  const rebooted = ada.call(rebootAgent, { params })
  expect(await answer(agent, from, { answer: {} })).toMatchObject({
    name: 'change-power',
    input: { action: 'reboot' },
    author: 'ada',
  })
  expect((await rebooted).body).toEqual({ answered: true })
  from = agent.frames.length
  const shut = ada.call(shutdownAgent, { params })
  expect((await answer(agent, from, { answer: {} })).input).toEqual({ action: 'shutdown' })
  expect((await shut).body).toEqual({ answered: true })
  from = agent.frames.length
  const again = ada.call(rebootAgent, { params })
  await answer(agent, from, { refused: 'The system refused: Access denied' })
  expect((await again).error).toMatchObject({
    code: 'agent_refused',
    detail: 'PC-12: The system refused: Access denied',
  })
  expect(await fixture.written()).toEqual([
    'Failed to restart the machine',
    'Shut down the machine',
    'Restarted the machine',
  ])
})

test('a machine that goes offline before its response counts as restarted', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  await agent.connect()
  const from = agent.frames.length
  const rebooted = ada.call(rebootAgent, { params })
  await agent.nextCommand(from)
  agent.cut()
  expect((await rebooted).body).toEqual({ answered: false })
  expect(await fixture.written()).toEqual(['Restarted the machine (without a response)'])
})

test('an offline machine is not restarted, and no audit row is written', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params } = fixture
  const error = { code: 'agent_offline', detail: 'PC-12 is offline. Try again when it is connected.' }
  expect((await ada.call(rebootAgent, { params })).error).toMatchObject(error)
  expect((await ada.call(shutdownAgent, { params })).error).toMatchObject(error)
  expect(await fixture.written()).toEqual([])
})

test('connected machines of its site wake a sleeping one, those of its network first', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, url, site } = fixture
  const card = (mac: string, address: string) => ({ interface: 'eth0', address, family: 'ipv4', mac })
  const report = async (one: TestAgent, addresses: object[]) => {
    const seq = one.report({ kind: 'facts', facts: { addresses } } as never)
    await one.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  await agent.connect()
  await report(agent, [
    card('02:00:00:00:00:01', '10.1.2.3'),
    card('00:00:00:00:00:00', '10.9.0.1'),
    card('<b>x</b>', '10.8.0.1'),
    card('02:00:00:00:00:01', '10.1.2.4'),
  ])
  agent.cut()
  const wake = () => ada.call(wakeAgent, { params })
  await vi.waitFor(async () =>
    expect((await wake()).error).toMatchObject({
      code: 'agent_offline',
      detail: 'No other machine of the site "Dresden" is connected to wake PC-12. Connect one first.',
    }),
  )
  const elsewhere = await server.given.site()
  using far = await TestAgent.enrol(server, url, elsewhere.id, { hostname: 'far' })
  using first = await TestAgent.enrol(server, url, site.id, { hostname: 'first' })
  using near = await TestAgent.enrol(server, url, site.id, { hostname: 'near' })
  for (const one of [far, first, near]) await one.connect()
  await report(near, [card('02:00:00:00:00:09', '10.1.2.9')])
  // The connection is stored shortly after the welcome.
  await vi.waitFor(async () => {
    const connected = server.ctx.db.selectFrom('agents').select('hostname').where('connected', '=', 1)
    expect((await connected.execute()).map(({ hostname }) => hostname).toSorted()).toEqual([
      'far',
      'first',
      'near',
    ])
  })
  const woken = wake()
  const input = { macs: ['02:00:00:00:00:01'] }
  expect(await answer(near, 0, { answer: { count: 2 } })).toMatchObject({ name: 'send-wake-up', input })
  await answer(first, 0, { refused: 'It has no network that a wake-up packet could go to.' })
  expect((await woken).body).toEqual({ sent_by: ['near'] })
  expect(far.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect(await fixture.written()).toEqual(['Sent a wake-up packet by "near"'])
})

test('a machine with unknown network cards, or that is awake, is not woken', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  expect((await ada.call(wakeAgent, { params })).error).toMatchObject({
    code: 'conflict',
    detail: 'The network cards of PC-12 are unknown, so it cannot be woken.',
  })
  await agent.connect()
  await vi.waitFor(async () =>
    expect((await ada.call(wakeAgent, { params })).error?.detail).toBe(
      'PC-12 is connected, so it is already awake.',
    ),
  )
})
