import { type AgentRow, editAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import { editClient, getClient } from '@muster/contract/api/clients'
import { createTag, deleteTag, editTag, listTags, tagAgents } from '@muster/contract/api/tags'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import type { TestClient } from '../../testing/test-client.ts'

async function prepare() {
  const server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const { given } = server
  const acme = await given.client()
  const site = await given.site({ client_id: acme.id })
  const one = await given.agent({ site_id: site.id, hostname: 'one' })
  const two = await given.agent({ site_id: site.id, hostname: 'two' })
  const other = await given.agent({ hostname: 'elsewhere' })
  const root = server.as(await given.user({ superuser: true }))
  const permissions = ['can_list_agents', 'can_edit_agent'] as const
  const limited = server.as(await given.user({ permissions, clients: [acme.id] }))
  return {
    server,
    events,
    acme,
    one,
    two,
    other,
    root,
    limited,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function tagsOf(client: TestClient): Promise<Record<string, string[]>> {
  const { body } = await client.call(listAgents, { query: {} })
  // Without detail=false the list holds whole rows.
  return Object.fromEntries((body as AgentRow[]).map(({ hostname, tags }) => [hostname, tags]))
}

const names = async (client: TestClient) =>
  (await client.call(listTags, { query: {} })).body.map(({ name, agent_count }) => [name, agent_count])

test('a machine has the tags that its editor gives it, and those of its client', async () => {
  await using prepared = await prepare()
  const { server, events, acme, one, root } = prepared
  const params = { agent_id: one.agent_id }
  const saved = await root.call(editAgent, { params, body: { own_tags: ['Kiosk', 'VIP', 'kiosk'] } })
  expect([saved.body.own_tags, saved.body.tags]).toEqual([
    ['Kiosk', 'VIP'],
    ['Kiosk', 'VIP'],
  ])
  await root.call(editClient, {
    params: { id: acme.id },
    body: { client: { tags: ['contract gold', 'vip'] } },
  })
  expect((await root.call(getClient, { params: { id: acme.id } })).body.tags).toEqual([
    'contract gold',
    'VIP',
  ])
  expect(await tagsOf(root)).toEqual({
    one: ['contract gold', 'Kiosk', 'VIP'],
    two: ['contract gold', 'VIP'],
    elsewhere: [],
  })
  expect((await root.call(getAgent, { params })).body.own_tags).toEqual(['Kiosk', 'VIP'])
  expect(await names(root)).toEqual([
    ['contract gold', 2],
    ['Kiosk', 1],
    ['VIP', 2],
  ])
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['agent.changed', 'client.changed', 'tag.changed']),
  )
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit.map(({ after_value }) => JSON.parse(after_value ?? '{}') as unknown)).toEqual([
    { tags: ['Kiosk', 'VIP'] },
    expect.objectContaining({ tags: ['contract gold', 'VIP'] }),
  ])
  await root.call(editAgent, { params, body: { own_tags: [] } })
  expect((await tagsOf(root)).one).toEqual(['contract gold', 'VIP'])
})

test('many machines are tagged at once, and only those that the caller may see', async () => {
  await using prepared = await prepare()
  const { server, events, one, two, other, root, limited } = prepared
  const agents = [one, two, other].map(({ agent_id }) => agent_id)
  const tagged = await limited.call(tagAgents, { body: { agents, add: ['pilot', 'old'] } })
  expect(tagged.body).toEqual({ changed: 2, skipped: 1 })
  expect(await tagsOf(root)).toEqual({ one: ['old', 'pilot'], two: ['old', 'pilot'], elsewhere: [] })
  events.length = 0
  const again = await root.call(tagAgents, { body: { agents, add: ['Pilot'], remove: ['old', 'nobody'] } })
  expect(again.body).toEqual({ changed: 3, skipped: 0 })
  expect(await tagsOf(root)).toEqual({ one: ['pilot'], two: ['pilot'], elsewhere: ['pilot'] })
  expect(events.find(({ type }) => type === 'agent.changed')?.ids.toSorted()).toEqual(agents.toSorted())
  const unchanged = await root.call(tagAgents, { body: { agents, add: ['pilot'] } })
  expect(unchanged.body).toEqual({ changed: 0, skipped: 0 })
  const rows = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(rows.map(({ message }) => message)).toEqual([
    'Changed the tags of 2 machines',
    'Changed the tags of 3 machines',
  ])
  const both = await root.call(tagAgents, { body: { agents, add: ['a'], remove: ['A'] } })
  expect([both.status, Object.keys(both.error.fields ?? {})]).toEqual([400, ['remove']])
})

test('a limited caller sees and changes no tag of other clients', async () => {
  await using prepared = await prepare()
  const { other, one, root, limited } = prepared
  const tag = async (agent_id: string, add: string) =>
    root.call(tagAgents, { body: { agents: [agent_id], add: [add] } })
  await tag(other.agent_id, 'secret')
  await tag(one.agent_id, 'mine')
  expect(await names(limited)).toEqual([['mine', 1]])
  const [mine] = (await limited.call(listTags, { query: {} })).body
  const params = { id: mine?.id ?? 0 }
  expect((await limited.call(editTag, { params, body: { name: 'x' } })).status).toBe(403)
  expect((await limited.call(deleteTag, { params })).status).toBe(403)
  expect((await limited.call(createTag, { body: { name: 'x' } })).status).toBe(403)
  // A tag of machines that nobody may see is not added.
  const refused = await limited.call(tagAgents, { body: { agents: [other.agent_id], add: ['new'] } })
  expect(refused.body).toEqual({ changed: 0, skipped: 1 })
  expect((await names(root)).map(([name]) => name)).toEqual(['mine', 'secret'])
})

test('a tag is renamed for all its machines, and deleted from them', async () => {
  await using prepared = await prepare()
  const { events, one, root } = prepared
  const { body: tag } = await root.call(createTag, { body: { name: 'Pilot', color: 'blue' } })
  expect(tag).toMatchObject({ name: 'Pilot', color: 'blue', agent_count: 0, client_count: 0 })
  await root.call(tagAgents, { body: { agents: [one.agent_id], add: ['pilot'] } })
  events.length = 0
  const renamed = await root.call(editTag, {
    params: { id: tag.id },
    body: { name: 'pilots', modified: tag.modified },
  })
  expect(renamed.body).toMatchObject({ name: 'pilots', color: 'blue', agent_count: 1 })
  expect((await tagsOf(root)).one).toEqual(['pilots'])
  expect(events).toContainEqual({ type: 'agent.changed', ids: [one.agent_id], agent_ids: [one.agent_id] })
  const late = await root.call(editTag, {
    params: { id: tag.id },
    body: { name: 'x', modified: tag.modified },
  })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
  expect((await root.call(createTag, { body: { name: 'PILOTS' } })).error.detail).toBe(
    'A tag named "PILOTS" already exists. Its name is "pilots".',
  )
  await root.call(deleteTag, { params: { id: tag.id } })
  expect((await tagsOf(root)).one).toEqual([])
})
