import { getTimeline } from '@muster/contract/api/timeline'
import { listAgents } from '@muster/contract/api/agents'
import { enrolAgent } from '@muster/contract/api/installers'
import type { Hardware } from '@muster/contract/agent/hardware'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { enrolBody, TestAgent } from '../agents/test-agent.ts'
import { createEnrolToken } from './enrol-machine.ts'

const machineKey = 'c'.repeat(64)
const FIRST: Hardware = { dmi_uuid: '11111111-2222-3333-4444-555555555555', macs: ['00:1b:21:00:00:01'] }
const SECOND: Hardware = { dmi_uuid: '66666666-7777-8888-9999-aaaaaaaaaaaa', macs: ['00:1b:21:00:00:02'] }
const THIRD: Hardware = { dmi_uuid: 'bbbbbbbb-7777-8888-9999-aaaaaaaaaaaa', macs: ['00:1b:21:00:00:03'] }

type EnrolParts = NonNullable<Parameters<typeof enrolBody>[1]>

async function givenSite(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const token = await createEnrolToken(server.ctx.db, {
    siteId: site.id,
    monitoringType: 'server',
    plat: null,
    uses: 100,
    expiresAt: new Date(server.clock.now().getTime() + 600_000).toISOString(),
    createdBy: 'test',
    now: server.clock.now(),
  })
  const bodyOf = (hostname: string, hardware?: Hardware, more: EnrolParts = {}) =>
    enrolBody(token, { machineKey, hostname, ...(hardware && { hardware }), ...more })
  return {
    /** A machine with the id of the image enrols. */
    enrol: async (hostname: string, hardware?: Hardware, more: EnrolParts = {}) => {
      const { body, key } = bodyOf(hostname, hardware, more)
      const answer = await server.anonymous.call(enrolAgent, { body })
      return { ...answer.body, key }
    },
    refuse: async (hostname: string, hardware?: Hardware) => {
      const { body } = bodyOf(hostname, hardware)
      const { status, error } = await server.anonymous.call(enrolAgent, { body })
      return [status, error.detail]
    },
    enrolAgent: (hostname: string, hardware?: Hardware, siteId = site.id) =>
      TestAgent.enrol(server, url, siteId, { machineKey, hostname, ...(hardware && { hardware }) }),
    rows: async () => {
      const { body } = await server
        .as(await server.given.user({ superuser: true }))
        .call(listAgents, { query: {} })
      return body.map(({ agent_id, hostname }) => ({ agent_id, hostname }))
    },
    changesOf: async (agent_id: string) => {
      const to = Math.ceil(server.clock.now().getTime() / 1000) + 60
      const query = { from: to - 7 * 86_400, to }
      const { body } = await server
        .as(await server.given.user({ superuser: true }))
        .call(getTimeline, { params: { agent_id }, query })
      return body.entries.filter(({ kind }) => kind === 'system').map(({ text }) => text)
    },
  }
}

test('clones of a machine get rows of their own, and each gets its own back', async () => {
  await using server = await createTestServer()
  const { enrol, rows, changesOf } = await givenSite(server)
  const one = await enrol('web-01', FIRST)
  const two = await enrol('web-02', SECOND)
  const three = await enrol('web-03', THIRD)
  expect([one, two, three].map(({ reattached }) => reattached)).toEqual([false, false, false])
  expect(await rows()).toEqual([
    { agent_id: one.agent_id, hostname: 'web-01' },
    { agent_id: two.agent_id, hostname: 'web-02' },
    { agent_id: three.agent_id, hostname: 'web-03' },
  ])
  expect(await changesOf(one.agent_id)).toEqual([])
  expect(await changesOf(two.agent_id)).toEqual([
    expect.stringMatching(/a clone, which got a row of its own/),
  ])

  const again = [await enrol('web-03', THIRD), await enrol('web-02', SECOND), await enrol('web-01', FIRST)]
  expect(again.map(({ agent_id, reattached }) => [agent_id, reattached])).toEqual([
    [three.agent_id, true],
    [two.agent_id, true],
    [one.agent_id, true],
  ])
})

test('a clone enrols while its original is connected, at the site of another client too', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne, enrol, rows } = await givenSite(server)
  using original = await enrolOne('web-01', FIRST)
  await original.comeOnline({ hardware: FIRST })
  expect(await enrol('web-02', SECOND)).toMatchObject({ reattached: false })
  const elsewhere = await server.given.site()
  using third = await enrolOne('web-03', THIRD, elsewhere.id)
  await third.comeOnline({ hardware: THIRD })
  expect(await rows()).toHaveLength(3)
  expect(original.isOpen).toBe(true)
})

test('a clone keeps its row after its original was removed', async () => {
  await using server = await createTestServer()
  const { enrol, rows } = await givenSite(server)
  const one = await enrol('web-01', FIRST)
  const two = await enrol('web-02', SECOND)
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', one.agent_id).execute()
  expect(await enrol('web-02', SECOND)).toMatchObject({ agent_id: two.agent_id, reattached: true })
  expect(await enrol('web-03', THIRD)).toMatchObject({ reattached: false })
  expect(await enrol('web-04', FIRST)).toMatchObject({ reattached: false })
  expect((await rows()).map(({ hostname }) => hostname)).toEqual(['web-02', 'web-03', 'web-04'])
})

test('a restored snapshot, a replaced disk and a replaced card keep the row', async () => {
  await using server = await createTestServer()
  const { enrol, rows } = await givenSite(server)
  const whole = { ...FIRST, disk_serial: 'S1' }
  const { agent_id } = await enrol('web-01', whole)
  for (const hardware of [
    whole,
    { ...whole, disk_serial: 'S2' },
    { ...FIRST, macs: SECOND.macs, disk_serial: 'S2' },
  ])
    expect(await enrol('web-01', hardware)).toMatchObject({ agent_id, reattached: true })
  expect(await rows()).toHaveLength(1)
})

test('the same machine is refused while its agent is connected, with what to do', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne, refuse, rows } = await givenSite(server)
  using agent = await enrolOne('web-01', FIRST)
  await agent.comeOnline({ hardware: FIRST })
  expect(await refuse('web-01', FIRST)).toEqual([
    403,
    'web-01 is connected and has the machine id and the hardware of this machine. If it is this machine, stop its agent and try again. If this is a clone of it, make a new machine id (rm /etc/machine-id; systemd-machine-id-setup) and try again.',
  ])
  // From before hardware was compared.
  expect(await refuse('web-02')).toEqual([
    403,
    expect.stringMatching(/^web-01 is connected and has the machine id of this machine\./),
  ])
  expect(await rows()).toHaveLength(1)
})

test('a machine id without the hardware that belongs to it takes no row over', async () => {
  await using server = await createTestServer()
  const { enrol, refuse, rows } = await givenSite(server)
  const { agent_id, key } = await enrol('web-01', FIRST)
  const refused = [403, expect.stringMatching(/^web-01 has the machine id .* cannot be compared/)]
  expect(await refuse('impostor')).toEqual(refused)
  expect(await refuse('impostor', { macs: [] })).toEqual(refused)
  expect(await rows()).toEqual([{ agent_id, hostname: 'web-01' }])
  // Its own key proves more than hardware does.
  expect(await enrol('web-01', undefined, { key })).toMatchObject({ agent_id, reattached: true })
})

test('machines without hardware to compare are one by their id, as before', async () => {
  await using server = await createTestServer()
  const { enrol, rows } = await givenSite(server)
  const { agent_id } = await enrol('web-01')
  expect(await enrol('web-01')).toMatchObject({ agent_id, reattached: true })
  expect(await enrol('web-01', FIRST)).toMatchObject({ agent_id, reattached: true })
  expect(await enrol('web-02', SECOND)).toMatchObject({ reattached: false })
  expect(await rows()).toHaveLength(2)
})

test('invalid hardware is refused', async () => {
  await using server = await createTestServer()
  const { refuse } = await givenSite(server)
  for (const hardware of [
    { macs: Array.from({ length: 33 }, () => '00:1b:21:00:00:01') },
    { macs: ['<img src=x>'] },
    { macs: [], dmi_uuid: 'Not Settable' },
    { macs: [], disk_serial: 'x'.repeat(101) },
  ])
    expect(await refuse('web-01', hardware)).toEqual([400, expect.stringMatching(/hardware/)])
})

test('an agent whose machine was enrolled again with another key gets the reason', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne, enrol } = await givenSite(server)
  using first = await enrolOne('web-01', FIRST)
  expect(await enrol('web-01', FIRST)).toMatchObject({ reattached: true })
  expect(await first.connect({ hardware: FIRST })).toMatchObject({
    type: 'refused',
    code: 'bad_signature',
    message: expect.stringMatching(/key is no longer valid: its machine was enrolled again with another key/),
  })
})

test('a machine that has moved to other hardware connects, and its timeline says so', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne, changesOf } = await givenSite(server)
  using agent = await enrolOne('web-01', FIRST)
  await agent.comeOnline({ hardware: FIRST })
  await agent.goOffline()
  await agent.comeOnline({ hardware: SECOND, hostname: 'web-01' })
  expect(await changesOf(agent.agentId)).toEqual([
    'Now runs on other hardware: connected as web-01 at 127.0.0.1',
  ])
  await agent.goOffline()
  // The same hardware is no news, and neither is an older agent that shows none.
  await agent.comeOnline({ hardware: SECOND })
  await agent.goOffline()
  await agent.comeOnline()
  expect(await changesOf(agent.agentId)).toHaveLength(1)
})

test('a copy of a connected agent is turned away, and the timeline names it once a day', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne, changesOf } = await givenSite(server)
  using agent = await enrolOne('web-01', FIRST)
  await agent.comeOnline({ hardware: FIRST })
  using copy = agent.copy()
  for (const _ of [1, 2, 3]) {
    expect(await copy.connect({ hardware: SECOND, hostname: 'web-02' })).toMatchObject({
      type: 'refused',
      code: 'copied_agent',
      message: expect.stringMatching(
        /^web-01 is connected with this agent's key from other hardware.*copy.*Enrol this one/,
      ),
    })
  }
  const entry = 'Turned away a copy of this machine: web-02 at 127.0.0.1 has its key and other hardware'
  expect(await changesOf(agent.agentId)).toEqual([entry])
  expect(agent.isOpen).toBe(true)
  server.clock.advance(25 * 3600)
  await copy.connect({ hardware: SECOND, hostname: 'web-02' })
  expect(await changesOf(agent.agentId)).toEqual([entry, entry])
  // The same hardware is the agent itself, whose old link is not noticed as lost yet.
  expect(await copy.connect({ hardware: FIRST })).toMatchObject({ type: 'welcome' })
})

test('of two copies that start at the same moment, one is the machine', async () => {
  await using server = await createTestServer()
  const { enrolAgent: enrolOne } = await givenSite(server)
  using agent = await enrolOne('image', FIRST)
  await agent.comeOnline({ hardware: FIRST })
  await agent.goOffline()
  using copy = agent.copy()
  const answers = await Promise.all([agent.connect({ hardware: SECOND }), copy.connect({ hardware: THIRD })])
  expect(answers.map(({ type }) => type).toSorted()).toEqual(['refused', 'welcome'])
  // The other one is the machine once the first has been away for a while.
  for (const one of [agent, copy]) one.cut()
  const [loser, hardware] = answers[0]?.type === 'refused' ? [agent, SECOND] : [copy, THIRD]
  server.clock.advance(120)
  await loser.isStored(0)
  expect(await loser.connect({ hardware })).toMatchObject({ type: 'welcome' })
})
