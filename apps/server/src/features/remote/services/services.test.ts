import type { MachineService } from '@muster/contract/agent/services'
import { listAudit } from '@muster/contract/api/audit'
import {
  controlService,
  getService,
  getServiceLog,
  listServices,
  setStartType,
} from '@muster/contract/api/services'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

const SSH: MachineService = {
  name: 'ssh.service',
  display_name: 'ssh',
  description: 'OpenBSD Secure Shell server',
  status: 'running',
  detail: 'running',
  start_type: 'auto',
  autodelay: false,
  pid: 712,
  username: '',
  binpath: '/usr/sbin/sshd -D',
}

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const permissions = ['can_manage_winsvcs', 'can_view_auditlogs'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  /** A request to the machine and its response. */
  async function answered<Answer>(call: () => Promise<Answer>, more: object) {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
    return { payload, answer: await asked }
  }
  return { agent, ada, answered, params: { agent_id: agent.agentId }, [Symbol.dispose]: () => agent.cut() }
}

test('services of a machine are listed, read one by one, and their log is read', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, answered, params } = fixture
  const listed = await answered(() => ada.call(listServices, { params }), { answer: { services: [SSH] } })
  expect(listed.payload).toMatchObject({ name: 'list-services', input: { name: null }, author: 'ada' })
  expect(listed.answer.body).toEqual([SSH])
  const one = { params: { ...params, name: 'ssh.service' } }
  const got = await answered(() => ada.call(getService, one), { answer: { services: [] } })
  expect(got.answer.error).toMatchObject({
    code: 'not_found',
    detail: 'PC-12 has no service "ssh.service". Refresh the list.',
  })
  const log = await answered(() => ada.call(getServiceLog, { ...one, query: { lines: 2 } }), {
    answer: { lines: ['a', 'b'] },
  })
  expect(log.payload.input).toEqual({ name: 'ssh.service', lines: 2 })
  expect(log.answer.body).toEqual({ lines: ['a', 'b'] })
})

test('actions on a service are audited, and refusals of the machine are shown', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, answered, params } = fixture
  const one = { params: { ...params, name: 'ssh.service' } }
  const restart = () => ada.call(controlService, { ...one, body: { sv_action: 'restart' } })
  expect((await answered(restart, { answer: SSH })).answer.body).toEqual(SSH)
  const manual = () => ada.call(setStartType, { ...one, body: { startType: 'manual' } })
  const changed = await answered(manual, { answer: { ...SSH, start_type: 'manual' } })
  expect(changed.payload).toMatchObject({ name: 'set-start-type', input: { start_type: 'manual' } })
  const sentence = 'systemd refused: Access denied'
  const refused = await answered(restart, { refused: sentence })
  expect(refused.answer.error).toMatchObject({ code: 'agent_refused', detail: `PC-12: ${sentence}` })
  const hostile = await answered(restart, { answer: { ...SSH, name: 'x'.repeat(10_000) } })
  expect(hostile.answer.error).toMatchObject({
    detail: 'PC-12 sent an unreadable response. Update its agent.',
  })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(
    audit_logs.filter(({ object_type }) => object_type === 'service').map(({ message }) => message),
  ).toEqual([
    'Failed to restart the service "ssh.service"',
    'Failed to restart the service "ssh.service"',
    'Changed the start type of the service "ssh.service" to manual',
    'Restarted the service "ssh.service"',
  ])
})

test('the audit row names the service that was changed, not the text that found it', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, answered, params } = fixture
  const alias = { params: { ...params, name: 'sshd' } }
  const sshd = async () => (await ada.call(controlService, { ...alias, body: { sv_action: 'stop' } })).body
  expect((await answered(sshd, { answer: SSH })).answer).toEqual(SSH)
  const manual = async () => (await ada.call(setStartType, { ...alias, body: { startType: 'manual' } })).body
  await answered(manual, { answer: SSH })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  const own = audit_logs.filter(({ object_type }) => object_type === 'service')
  expect(own.map(({ message }) => message)).toEqual([
    'Changed the start type of the service "ssh.service" to manual',
    'Stopped the service "ssh.service"',
  ])
})

test('names that would be options, patterns or paths are refused before they reach a machine', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params } = fixture
  for (const name of ['--root=%2F', 'a%2Fb', 'a%0Ab', '%20x', '*', 'ss%3F', 'ss%5Bh%5D']) {
    const url = `/services/${params.agent_id}/${name}/`
    expect((await ada.send({ method: 'GET', url })).status).toBe(400)
  }
  const { error } = await ada.send({ method: 'GET', url: `/services/${params.agent_id}/ss*/` })
  expect(error.fields).toEqual({ name: ['Enter one name, without * ? [ and /.'] })
})
