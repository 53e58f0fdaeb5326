import { createClient, editClient } from '@muster/contract/api/clients'
import { createNote } from '@muster/contract/api/notes'
import { getMachineCounts } from '@muster/contract/api/system'
import { createScript } from '@muster/contract/api/scripts'
import { EVENT_TYPES, eventRule, LIVE_CLOSE } from '@muster/contract/events'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { openConsole, type TestConsole } from './test-console.ts'

async function prepare() {
  const server = await createTestServer()
  const { url } = await server.listen()
  const { given } = server
  const mine = await given.site({ name: 'Mine' })
  const other = await given.site({ name: 'Other' })
  const agents = {
    mine: await given.agent({ site_id: mine.id }),
    other: await given.agent({ site_id: other.id }),
  }
  return {
    server,
    url,
    given,
    mine,
    other,
    agents,
    all: await given.user({ permissions: PERMISSIONS }),
    limited: await given.user({ permissions: PERMISSIONS, clients: [mine.client_id] }),
    open: (user: Parameters<typeof openConsole>[2]) => openConsole(server, url, user),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Changes columns of machines like the link does, and emits the event. */
async function changeAgents(server: TestServer, ids: string[], fields: Record<string, unknown>) {
  await server.ctx.db.updateTable('agents').set(fields).where('agent_id', 'in', ids).execute()
  server.ctx.emit({ type: 'agent.changed', ids, agent_ids: ids })
}

function hasReceived(console: TestConsole, type: string): boolean {
  return console.messages.some(
    (message) => message.type === 'changed' && message.events.some((event) => event.type === type),
  )
}

const has = (type: string) => (message: { events: { type: string }[] }) =>
  message.events.some((event) => event.type === type)

test('two consoles see each other’s changes', async () => {
  await using prepared = await prepare()
  const { server, open, all, mine, agents } = prepared
  const second = await server.given.user({ permissions: PERMISSIONS })
  using one = await open(all)
  using two = await open(second)
  const caller = server.as(all)
  await caller.call(editClient, { params: { id: mine.client_id }, body: { client: { name: 'Renamed' } } })
  for (const console of [one, two]) {
    await console.next('changed', has('client.changed'))
    const { changed } = await console.next('agents')
    expect(changed).toEqual([{ agent_id: agents.mine.agent_id, client: 'Renamed', client_name: 'Renamed' }])
  }
  const script = await server
    .as(second)
    .call(createScript, { body: { name: 'New', shell: 'shell', script_body: '' } })
  const { events } = await one.next('changed', has('script.changed'))
  expect(events).toContainEqual({ type: 'script.changed', ids: [script.body.id] })
})

test('only changed fields of machines are sent, at most one frame a second', async () => {
  await using prepared = await prepare()
  const { server, open, all, agents } = prepared
  using console = await open(all)
  const ids = [agents.mine.agent_id, agents.other.agent_id]
  await changeAgents(server, ids, { description: 'first' })
  const first = await console.next('agents')
  expect(first.changed.toSorted((a, b) => a.agent_id.localeCompare(b.agent_id))).toEqual(
    ids.toSorted((a, b) => a.localeCompare(b)).map((agent_id) => ({ agent_id, description: 'first' })),
  )
  for (const description of ['second', 'third', 'last']) await changeAgents(server, ids, { description })
  await console.next('agents', ({ changed }) => changed.some((agent) => agent['description'] === 'last'))
  const frames = console.messages.flatMap(({ type }, index) =>
    type === 'agents' ? [console.times[index] ?? 0] : [],
  )
  expect(frames).toHaveLength(2)
  // By the clock of the receiver, to which the first frame may have come late.
  expect((frames[1] ?? 0) - (frames[0] ?? 0)).toBeGreaterThan(500)
})

test('a value that changed and changed back between two frames is sent, because a list may have shown it', async () => {
  await using prepared = await prepare()
  const { server, open, all, agents } = prepared
  const { agent_id } = agents.mine
  using console = await open(all)
  await changeAgents(server, [agent_id], { maintenance_mode: 1 })
  await changeAgents(server, [agent_id], { maintenance_mode: 0 })
  const { changed } = await console.next('agents')
  expect(changed).toMatchObject([{ agent_id, maintenance_mode: false }])
})

test('last_seen of a connected machine is not repeated, and is sent when its link is lost', async () => {
  await using prepared = await prepare()
  const { server, open, all, agents } = prepared
  const { agent_id } = agents.mine
  await changeAgents(server, [agent_id], { connected: 1 })
  using console = await open(all)
  await changeAgents(server, [agent_id], { description: 'still here' })
  expect((await console.next('agents')).changed).toEqual([{ agent_id, description: 'still here' }])
  const last_seen = server.ctx.now().toISOString()
  await changeAgents(server, [agent_id], { connected: 0, last_seen })
  const { changed } = await console.next('agents', (frame) =>
    frame.changed.some((agent) => 'connected' in agent),
  )
  expect(changed).toEqual([{ agent_id, connected: false, last_seen }])
})

test('the counts of the socket are also an endpoint, for users who may list machines', async () => {
  await using prepared = await prepare()
  const { server, open, given, all, limited } = prepared
  for (const user of [all, limited]) {
    using console = await open(user)
    const { counts } = await console.next('counts')
    expect((await server.as(user).call(getMachineCounts, {})).body).toEqual(counts)
  }
  const nobody = await given.user()
  expect((await server.as(nobody).call(getMachineCounts, {})).body).toBeNull()
})

test('counts follow the machines, limited to the scope of the user', async () => {
  await using prepared = await prepare()
  const { server, open, all, limited, agents } = prepared
  using whole = await open(all)
  using part = await open(limited)
  expect((await whole.next('counts')).counts).toMatchObject({ total_workstation_count: 2, away_count: 2 })
  expect((await part.next('counts')).counts).toEqual({
    total_server_count: 0,
    total_server_offline_count: 0,
    total_workstation_count: 1,
    total_workstation_offline_count: 1,
    away_count: 1,
    overdue_count: 0,
    unalerted_server_count: 0,
    unalerted_workstation_count: 0,
    days_until_cert_expires: null,
  })
  await changeAgents(server, [agents.other.agent_id], { connected: 1, monitoring_type: 'server' })
  const { counts } = await whole.next('counts', (message) => message.counts.total_server_count === 1)
  expect(counts).toMatchObject({ total_workstation_count: 1, total_server_offline_count: 0, away_count: 1 })
  expect(part.messages.filter(({ type }) => type === 'counts')).toHaveLength(1)
})

test('a user limited to one client receives nothing of another', async () => {
  await using prepared = await prepare()
  const { server, open, all, limited, other, mine, agents } = prepared
  using whole = await open(all)
  using part = await open(limited)
  const caller = server.as(all)
  const hidden = agents.other.agent_id
  await changeAgents(server, [hidden], { hostname: 'hidden' })
  server.ctx.emit({ type: 'history.changed', ids: [1], agent_ids: [hidden] })
  server.ctx.emit({ type: 'history.changed', ids: [2], agent_ids: [agents.mine.agent_id] })
  server.ctx.emit({ type: 'history.changed', ids: [3, 4], agent_ids: [hidden, agents.mine.agent_id] })
  server.ctx.emit({ type: 'agent.removed', ids: [hidden], agent_ids: [hidden] })
  await caller.call(createNote, { body: { agent_id: hidden, note: 'hidden' } })
  await caller.call(editClient, { params: { id: other.client_id }, body: { client: { name: 'hidden' } } })
  await whole.next('changed', has('client.changed'))
  await whole.next('agents')
  expect(hasReceived(whole, 'note.changed')).toBe(true)
  await caller.call(editClient, { params: { id: mine.client_id }, body: { client: { name: 'Seen' } } })
  await part.next('changed', has('client.changed'))
  const text = JSON.stringify(part.messages)
  expect(text).not.toContain('hidden')
  expect(text).not.toContain(hidden)
  const events = part.messages.flatMap((message) => (message.type === 'changed' ? message.events : []))
  // They learn that the audit log grew, but not by what.
  expect(events.filter(({ type }) => type !== 'audit.added')).toEqual([
    { type: 'history.changed', ids: [2, 4] },
    { type: 'client.changed', ids: [mine.client_id] },
  ])
  expect(events.filter(({ type, ids }) => type === 'audit.added' && ids.length > 0)).toEqual([])
})

test('a user with one site receives events of that site and its client only', async () => {
  await using prepared = await prepare()
  const { server, open, given, mine, other } = prepared
  const user = await given.user({ permissions: PERMISSIONS, sites: [mine.id] })
  const sibling = await given.site({ client_id: mine.client_id })
  const hidden = await given.agent({ site_id: sibling.id })
  using console = await open(user)
  await changeAgents(server, [hidden.agent_id], { description: 'hidden' })
  server.ctx.emit({ type: 'client.changed', ids: [other.client_id, mine.client_id] })
  const { events } = await console.next('changed')
  expect(events).toEqual([{ type: 'client.changed', ids: [mine.client_id] }])
})

test('events without a permission of the role are not sent', async () => {
  await using prepared = await prepare()
  const { server, open, given, agents, all } = prepared
  using console = await open(await given.user())
  using witness = await open(all)
  const caller = server.as(all)
  await changeAgents(server, [agents.mine.agent_id], { description: 'secret' })
  await caller.call(createNote, { body: { agent_id: agents.mine.agent_id, note: 'secret' } })
  await caller.call(createClient, { body: { client: { name: 'New' }, site: { name: 'New' } } })
  await witness.next('changed', has('client.changed'))
  await witness.next('agents')
  expect(console.messages.map(({ type }) => type)).toEqual(['ready'])
})

test('every console event reaches a user who may see it', async () => {
  await using prepared = await prepare()
  const { server, open, all, limited, agents, mine } = prepared
  using whole = await open(all)
  using part = await open(limited)
  const { agent_id } = agents.mine
  const ids = { clients: [mine.client_id], users: [limited.id] }
  const expected = EVENT_TYPES.filter((type) => !['none', 'frames'].includes(eventRule(type).scope))
  expect(expected).toContain('patches.scanned')
  for (const type of EVENT_TYPES) {
    const { scope } = eventRule(type)
    if (scope === 'clients' || scope === 'users') server.ctx.emit({ type, ids: ids[scope] })
    else if (scope === 'agents' || scope === 'agents_or_all')
      server.ctx.emit({ type, ids: [agent_id], agent_ids: [agent_id] })
    else if (scope !== 'frames') server.ctx.emit({ type, ids: [7] })
  }
  for (const console of [whole, part]) {
    await console.next('changed', has(expected.at(-1) ?? ''))
    const received = console.messages.flatMap((message) => (message.type === 'changed' ? message.events : []))
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(expected))
  }
})

test('a machine that is added, moves out of scope, and is deleted', async () => {
  await using prepared = await prepare()
  const { server, open, limited, all, given, mine, other } = prepared
  using part = await open(limited)
  using whole = await open(all)
  const { agent_id } = await given.agent({ site_id: other.id })
  server.ctx.emit({ type: 'agent.added', ids: [agent_id], agent_ids: [agent_id] })
  await whole.next('agents', ({ added }) => added.includes(agent_id))
  await changeAgents(server, [agent_id], { site_id: mine.id })
  const seen = await part.next('agents')
  expect(seen).toEqual({ type: 'agents', changed: [], added: [agent_id], removed: [] })
  const moved = await whole.next('agents', ({ changed }) => changed.length > 0)
  expect(moved.added).toEqual([agent_id])
  expect(moved.changed[0]).toMatchObject({ agent_id, site: 'Mine', site_id: mine.id })
  await changeAgents(server, [agent_id], { site_id: other.id })
  await part.next('agents', ({ removed }) => removed.includes(agent_id))
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', agent_id).execute()
  server.ctx.emit({ type: 'agent.removed', ids: [agent_id], agent_ids: [agent_id] })
  await whole.next('agents', ({ removed }) => removed.includes(agent_id))
  expect(part.messages.filter(({ type }) => type === 'agents')).toHaveLength(2)
})

test('a machine that has just enrolled is visible before its first frame', async () => {
  await using prepared = await prepare()
  const { server, open, limited, given, mine } = prepared
  using console = await open(limited)
  const { agent_id } = await given.agent({ site_id: mine.id })
  server.ctx.emit({ type: 'agent.added', ids: [agent_id], agent_ids: [agent_id] })
  server.ctx.emit({ type: 'history.changed', ids: [7], agent_ids: [agent_id] })
  const { events } = await console.next('changed')
  expect(events).toEqual([{ type: 'history.changed', ids: [7] }])
})

test('changed rights take effect on an open socket at once', async () => {
  await using prepared = await prepare()
  const { server, open, limited, mine, other, agents } = prepared
  using console = await open(limited)
  const { db } = server.ctx
  const role = limited.roleId ?? 0
  await db.deleteFrom('role_clients').where('role_id', '=', role).execute()
  await db.insertInto('role_clients').values({ role_id: role, client_id: other.client_id }).execute()
  server.ctx.emit({ type: 'user.changed', ids: [limited.id] })
  const { events } = await console.next('changed', has('client.changed'))
  expect(events).toContainEqual({ type: 'agent.changed', ids: [] })
  await changeAgents(server, [agents.mine.agent_id, agents.other.agent_id], { description: 'new' })
  const { changed } = await console.next('agents')
  expect(changed).toEqual([{ agent_id: agents.other.agent_id, description: 'new' }])
  await db.updateTable('roles').set({ permissions: '[]' }).where('id', '=', role).execute()
  server.ctx.emit({ type: 'user.changed', ids: [limited.id] })
  server.ctx.emit({ type: 'client.changed', ids: [mine.client_id, other.client_id] })
  await console.next('changed', ({ events }) => events.some(({ ids }) => ids.includes(limited.id)))
})

test('many changes at once are sent as "all" instead of ids', async () => {
  await using prepared = await prepare()
  const { server, open, all, agents } = prepared
  using console = await open(all)
  const ids = Array.from({ length: 5000 }, (_, index) => index)
  server.ctx.emit({ type: 'history.changed', ids, agent_ids: [agents.mine.agent_id] })
  const { events } = await console.next('changed')
  expect(events).toEqual([{ type: 'history.changed', ids: [] }])
})

test('a console that does not read is closed instead of filling the memory', async () => {
  await using prepared = await prepare()
  const { server, open, all } = prepared
  using slow = await open(all)
  using quick = await open(all)
  slow.socket.pause()
  for (let round = 0; server.app.live.size === 2 && round < 100; round += 1) {
    const ids = Array.from({ length: 400 }, (_, index) => `${round} ${index} ${'x'.repeat(2000)}`)
    server.ctx.emit({ type: 'settings.changed', ids })
    await quick.next('changed', ({ events }) => events.some((event) => event.ids[0] === ids[0]))
  }
  expect(server.app.live.size).toBe(1)
  slow.socket.resume()
  expect([LIVE_CLOSE.tooSlow, 1006]).toContain((await slow.closed).code)
  expect(quick.socket.readyState).toBe(quick.socket.OPEN)
})
