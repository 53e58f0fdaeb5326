import { editAgent } from '@muster/contract/api/agents'
import { editSite } from '@muster/contract/api/clients'
import { getRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { DEFAULT_REMOTE_RULES } from '@muster/rules/remote/remote-rules'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'
import { NO_SETTINGS } from './queries.ts'
import { revisionOf } from './rules-sync.ts'

const OFFICE = { weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' }

async function asAdmin(server: TestServer) {
  return server.as(await server.given.user({ superuser: true }))
}

/** The next rules sent to the machine. */
async function nextRules(agent: TestAgent, from: number) {
  for (let index = from; ; index += 1) {
    const { payload } = await agent.nextCommand(index)
    if (payload.name === 'set-remote-rules') return payload
  }
}

test('settings per client, site and agent, the nearest one applies', async () => {
  await using server = await createTestServer()
  const site = await server.given.site()
  const agent = await server.given.agent({ site_id: site.id })
  const admin = await asAdmin(server)
  const set = (level: 'default' | 'client' | 'site' | 'agent', id: string, settings: object) =>
    admin.call(setRemoteAccess, { params: { level, id }, body: { ...NO_SETTINGS, ...settings } })
  await set('default', 'all', { consent: 'ask', banner: true, ask_purpose: true })
  await set('client', `${site.client_id}`, { hours: OFFICE, banner: false, ask_purpose: false })
  await set('site', `${site.id}`, { forbidden: true, consent_seconds: 60 })
  const { body } = await set('agent', agent.agent_id, { forbidden: false })
  expect(body).toMatchObject({ name: agent.hostname, settings: { forbidden: false, hours: null } })
  expect(body.inherited).toEqual({
    forbidden: true,
    hours: OFFICE,
    consent: 'ask',
    consent_seconds: 60,
    banner: false,
    ask_purpose: false,
    record_terminals: 'servers',
    record_desktops: 'none',
  })
  const audited = await server.ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
  const { name: client } = await server.ctx.db.selectFrom('clients').select('name').executeTakeFirstOrThrow()
  expect(audited.map(({ message }) => message)).toEqual([
    'Changed the remote access of all machines',
    `Changed the remote access of the client "${client}"`,
    `Changed the remote access of the site "${site.name}"`,
    `Changed the remote access of the machine "${agent.hostname}"`,
  ])
})

test('a user with a part of a target cannot change it, and one without the permission nothing', async () => {
  await using server = await createTestServer()
  const site = await server.given.site()
  const other = await server.given.site()
  const body = { ...NO_SETTINGS, forbidden: true }
  const permissions = ['can_list_agents', 'can_manage_remote_access'] as const
  const part = server.as(await server.given.user({ permissions, sites: [site.id] }))
  const statusOf = async (level: 'default' | 'client' | 'site', id: string) =>
    (await part.call(setRemoteAccess, { params: { level, id }, body })).status
  expect(await statusOf('default', 'all')).toBe(403)
  expect(await statusOf('client', `${site.client_id}`)).toBe(403)
  expect(await statusOf('site', `${other.id}`)).toBe(404)
  expect(await statusOf('site', '2 or 1=1')).toBe(404)
  expect(await statusOf('site', `${site.id}`)).toBe(200)
  const reader = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const params = { level: 'site' as const, id: `${site.id}` }
  expect((await reader.call(getRemoteAccess, { params })).status).toBe(200)
  expect((await reader.call(setRemoteAccess, { params, body })).status).toBe(403)
})

test('invalid settings and a save over a concurrent change are refused', async () => {
  await using server = await createTestServer()
  const admin = await asAdmin(server)
  const params = { level: 'default' as const, id: 'all' }
  for (const wrong of [
    { hours: { ...OFFICE, weekdays: [] } },
    { hours: { ...OFFICE, to: '08:00' } },
    { hours: { ...OFFICE, from: '24:00' } },
    { consent_seconds: 4 },
  ]) {
    const { status } = await admin.call(setRemoteAccess, { params, body: { ...NO_SETTINGS, ...wrong } })
    expect([wrong, status]).toEqual([wrong, 400])
  }
  const { body: before } = await admin.call(getRemoteAccess, { params })
  await admin.call(setRemoteAccess, { params, body: { ...NO_SETTINGS, banner: true } })
  const late = await admin.call(setRemoteAccess, {
    params,
    body: { ...NO_SETTINGS, forbidden: true, modified: before.modified },
  })
  expect(late.status).toBe(409)
})

test('a machine receives signed rules when they change, when it moves, and when it connects with others', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const strict = await server.given.site()
  const admin = await asAdmin(server)
  const set = (id: number, settings: object) =>
    admin.call(setRemoteAccess, {
      params: { level: 'site', id: `${id}` },
      body: { ...NO_SETTINGS, ...settings },
    })
  await set(strict.id, { forbidden: true })
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  await set(site.id, { hours: OFFICE })
  const first = await nextRules(agent, 0)
  expect(first).toMatchObject({ author: 'server', input: { rules: { forbidden: false, hours: OFFICE } } })

  let from = agent.frames.length
  const params = { agent_id: agent.agentId }
  await admin.call(editAgent, { params, body: { site: strict.id } })
  expect(await nextRules(agent, from)).toMatchObject({ input: { rules: { forbidden: true, hours: null } } })

  from = agent.frames.length
  const client = await server.given.client()
  await server.given.site({ client_id: client.id })
  await server.given.site({ client_id: strict.client_id })
  await admin.call(setRemoteAccess, {
    params: { level: 'client', id: `${client.id}` },
    body: { ...NO_SETTINGS, banner: true },
  })
  const moved = await admin.call(editSite, {
    params: { id: strict.id },
    body: { site: { client: client.id, name: strict.name } },
  })
  expect(moved.status).toBe(200)
  const last = await nextRules(agent, from)
  expect(last).toMatchObject({ input: { rules: { forbidden: true, banner: true } } })

  const { revision } = last.input as { revision: string }
  from = agent.frames.length
  await agent.connect({ remoteRules: 'something else' })
  expect(await nextRules(agent, from)).toMatchObject({ input: { revision } })
})

test('a machine with the current rules receives nothing, and removed rules reach it', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect({ remoteRules: 'of long ago' })
  const { input } = await nextRules(agent, 0)
  expect(input).toMatchObject({ revision: '', rules: { forbidden: false, consent: 'off' } })

  const admin = await asAdmin(server)
  const params = { level: 'agent' as const, id: agent.agentId }
  const before = agent.frames.length
  await admin.call(setRemoteAccess, { params, body: { ...NO_SETTINGS, banner: true } })
  expect(await nextRules(agent, before)).toMatchObject({ input: { rules: { banner: true } } })
  const from = agent.frames.length
  await agent.connect({ remoteRules: revisionOf({ ...DEFAULT_REMOTE_RULES, banner: true }) })
  // Rules arrive in order: the first ones after this are the second ones set.
  await admin.call(setRemoteAccess, { params, body: { ...NO_SETTINGS, consent: 'ask' } })
  expect(await nextRules(agent, from)).toMatchObject({ input: { rules: { consent: 'ask', banner: false } } })
})

test('machines whose agents do not enforce rules are counted', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const other = await server.given.site()
  using old = await TestAgent.enrol(server, url, site.id, { hostname: 'old-1' })
  await old.connect()
  using young = await TestAgent.enrol(server, url, site.id, { hostname: 'new-1' })
  await young.connect({ remoteRules: '' })
  const admin = await asAdmin(server)
  const unenforcing = async (level: 'default' | 'client' | 'site' | 'agent', id: string) =>
    (await admin.call(getRemoteAccess, { params: { level, id } })).body.not_enforced
  const one = { count: 1, hostnames: ['old-1'] }
  await expect.poll(() => unenforcing('default', 'all')).toEqual(one)
  expect(await unenforcing('client', `${site.client_id}`)).toEqual(one)
  expect(await unenforcing('site', `${site.id}`)).toEqual(one)
  expect(await unenforcing('agent', old.agentId)).toEqual(one)
  expect(await unenforcing('agent', young.agentId)).toEqual({ count: 0, hostnames: [] })
  expect(await unenforcing('site', `${other.id}`)).toEqual({ count: 0, hostnames: [] })
  // It was reinstalled.
  await old.connect({ remoteRules: '' })
  await expect.poll(() => unenforcing('default', 'all')).toEqual({ count: 0, hostnames: [] })
})

test('settings that are enforced for all machines hold at a client, for its own users too', async () => {
  await using server = await createTestServer()
  const site = await server.given.site()
  const admin = await asAdmin(server)
  const permissions = ['can_list_agents', 'can_manage_remote_access'] as const
  const own = server.as(await server.given.user({ permissions, clients: [site.client_id] }))
  const params = { level: 'client' as const, id: `${site.client_id}` }
  const set = (settings: object) =>
    own.call(setRemoteAccess, { params, body: { ...NO_SETTINGS, ...settings } })
  const agent = await server.given.agent({ site_id: site.id })
  const effective = async () =>
    (await admin.call(getRemoteAccess, { params: { level: 'agent', id: agent.agent_id } })).body.inherited

  expect((await set({ consent: 'off', record_terminals: 'none', ask_purpose: false })).status).toBe(200)
  await admin.call(setRemoteAccess, {
    params: { level: 'default', id: 'all' },
    body: {
      ...NO_SETTINGS,
      consent: 'require',
      record_terminals: 'all',
      ask_purpose: true,
      banner: true,
      enforced: true,
    },
  })
  // Also over what the client had set before.
  const strict = { consent: 'require', record_terminals: 'all', ask_purpose: true, banner: true }
  expect(await effective()).toMatchObject(strict)
  const { body } = await own.call(getRemoteAccess, { params })
  expect(body.enforced.toSorted()).toEqual(['ask_purpose', 'banner', 'consent', 'record_terminals'])

  const { status, error } = await set({ consent: 'ask' })
  expect([status, error.fields]).toEqual([403, { consent: ['A level above enforces this setting.'] }])
  // Other settings are free, and values that no longer count may stay or go.
  expect((await set({ consent: 'off', hours: OFFICE })).status).toBe(200)
  expect((await set({ hours: OFFICE })).status).toBe(200)
  expect(await effective()).toMatchObject({ ...strict, hours: OFFICE })
})
