import { listAudit } from '@muster/contract/api/audit'
import {
  createRegistryKey,
  createRegistryValue,
  deleteRegistryKey,
  deleteRegistryValue,
  listRegistry,
  modifyRegistryValue,
  readRegistryValue,
  renameRegistryKey,
  renameRegistryValue,
} from '@muster/contract/api/registry'
import { getTimeline } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

const PATH = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Acme "x"'
const DWORD = { type: 4, size: 4, bytes: 'AQAAAA==' }

async function prepare(server: TestServer, more: { codeForRemote?: boolean; totp?: boolean } = {}) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const permissions = ['can_use_registry', 'can_view_auditlogs', 'can_list_agents'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions, ...more }))
  async function answered<Answer>(call: () => Promise<Answer>, reply: object) {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...reply })
    return { payload, answer: await asked }
  }
  const rows = async () => {
    const { body } = await ada.call(listAudit, { body: { objectFilter: ['registry'] } })
    return body.audit_logs.toReversed()
  }
  return {
    agent,
    ada,
    answered,
    rows,
    params: { agent_id: agent.agentId },
    [Symbol.dispose]: () => agent.cut(),
  }
}

test('keys and values are read, with their types and readable data', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, answered, params } = fixture
  const page = {
    path: PATH,
    subkeys: [{ name: 'below', has_subkeys: false }],
    values: [
      { name: '', type: 1, size: 4, bytes: 'QQAAAA==' },
      { name: 'large', type: 3, size: 5000, bytes: 'AAE=' },
      { name: 'own', type: 0x99, size: 1, bytes: '/w==' },
    ],
    next_keys: 200,
    next_values: null,
    key_count: 900,
    value_count: 3,
  }
  const list = () => ada.call(listRegistry, { params, query: { path: PATH } })
  const { payload, answer } = await answered(list, { answer: page })
  expect(payload).toMatchObject({
    name: 'read-registry-key',
    input: { path: PATH, keys_from: 0, values_from: 0 },
    author: 'ada',
  })
  expect(answer.body).toMatchObject({ has_more: true, next_keys: 200, key_count: 900 })
  expect(answer.body.values.map(({ name, type, data }) => [name, type, data])).toEqual([
    ['', 'REG_SZ', 'A'],
    ['large', 'REG_BINARY', '00 01 ...'],
    ['own', 'REG_0x99', 'ff'],
  ])
  const one = { params, query: { path: PATH, name: 'large' } }
  const whole = await answered(() => ada.call(readRegistryValue, one), { answer: DWORD })
  expect(whole.answer.body).toEqual({
    type: 'REG_DWORD',
    size: 4,
    data: '0x00000001 (1)',
    bytes: DWORD.bytes,
  })
  const hostile = await answered(list, {
    answer: { ...page, values: [{ ...page.values[0], type: 'REG_SZ' }] },
  })
  expect(hostile.answer.error?.detail).toBe('PC-12 sent an unreadable response. Update its agent.')
})

test('each change is audited with the previous value, and shown on the timeline', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, answered, params, rows } = fixture
  const value = { path: PATH, name: 'speed' }
  const body = { ...value, type: 'REG_DWORD', bytes: 'AgAAAA==' }
  const done = { answer: { before: null } }
  const had = { answer: { before: DWORD } }
  await answered(() => ada.call(createRegistryKey, { params, body: { path: PATH } }), done)
  const added = await answered(() => ada.call(createRegistryValue, { params, body }), done)
  expect(added.payload).toMatchObject({
    name: 'change-registry',
    input: { change: 'set-value', ...value, type: 4, bytes: 'AgAAAA==', is_new: true },
  })
  await answered(() => ada.call(modifyRegistryValue, { params, body }), had)
  const renamed = { path: PATH, old_name: 'speed', new_name: 'pace' }
  await answered(() => ada.call(renameRegistryValue, { params, body: renamed }), had)
  await answered(() => ada.call(deleteRegistryValue, { params, query: { path: PATH, name: '' } }), had)
  const named = { params, body: { path: PATH, new_name: 'Other' } }
  await answered(() => ada.call(renameRegistryKey, named), done)
  const refused = await answered(() => ada.call(deleteRegistryKey, { params, query: { path: PATH } }), {
    refused: 'Access is denied, also to the agent.',
  })
  expect(refused.answer.error?.detail).toBe('PC-12: Access is denied, also to the agent.')
  const written = await rows()
  expect(written.map(({ action, message }) => [action, message])).toEqual([
    ['add', `Created the registry key "${PATH}"`],
    ['modify', `Added the value "speed" of the registry key "${PATH}"`],
    ['modify', `Changed the value "speed" of the registry key "${PATH}"`],
    ['modify', `Renamed the value "speed" of the registry key "${PATH}" to "pace"`],
    ['delete', `Deleted the default value of the registry key "${PATH}"`],
    ['modify', `Renamed the registry key "${PATH}" to "Other"`],
    ['delete', `Failed to delete the registry key "${PATH}" and everything below it`],
  ])
  const now = Math.floor(server.clock.now().getTime() / 1000)
  const query = { from: now - 60, to: now + 60 }
  const { entries } = (await ada.call(getTimeline, { params, query })).body
  const changes = entries.filter(({ kind }) => kind === 'change').map(({ text, by }) => `${by}: ${text}`)
  expect(changes.toSorted()).toEqual(written.map(({ message }) => `ada: ${message}`).toSorted())
  expect(written[2]).toMatchObject({
    before_value: { type: 'REG_DWORD', data: '0x00000001 (1)' },
    after_value: { path: PATH, name: 'speed', type: 'REG_DWORD', data: '0x00000002 (2)' },
  })
})

test('invalid names and types are refused before the machine is asked', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params, agent } = fixture
  const from = agent.frames.length
  const good = { path: PATH, name: 'a', type: 'REG_SZ', bytes: '' }
  for (const wrong of [
    { type: 'REG_NO' },
    { bytes: '?' },
    { name: 'a\0b' },
    { path: 'x\0' },
    { name: 'x'.repeat(16_384) },
  ])
    expect((await ada.call(createRegistryValue, { params, body: { ...good, ...wrong } })).status).toBe(400)
  for (const new_name of ['', 'a\\b', 'x'.repeat(256)])
    expect((await ada.call(renameRegistryKey, { params, body: { path: PATH, new_name } })).status).toBe(400)
  expect(agent.frames.slice(from).filter(({ type }) => type === 'command')).toEqual([])
})

test('a second factor is required again before the registry if the role says so', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server, { codeForRemote: true, totp: true })
  const { ada, params } = fixture
  const list = await ada.call(listRegistry, { params, query: { path: PATH } })
  expect(list).toMatchObject({ status: 403, error: { code: 'code_needed' } })
  expect(list.error?.detail).toContain(
    'requires a code of your authenticator app before the registry is opened.',
  )
  const made = await ada.call(createRegistryKey, { params, body: { path: PATH } })
  expect(made.error).toMatchObject({ code: 'code_needed' })
})
