import { deleteClient, deleteSite, listClients } from '@muster/contract/api/clients'
import type { Event } from '@muster/contract/events'
import type { Permission } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const MANAGE: Permission[] = ['can_list_clients', 'can_manage_clients', 'can_manage_sites']

async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const doomed = await given.site({ name: 'Doomed' })
  const other = await given.site({ name: 'Other' })
  const agent = await given.agent({ site_id: doomed.id })
  const caller = server.as(await given.user({ permissions: MANAGE }))
  return {
    server,
    given,
    doomed,
    other,
    agent,
    caller,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function siteOf(server: TestServer, agentId: string) {
  const query = server.ctx.db
    .selectFrom('agents')
    .select(['site_id', 'modified'])
    .where('agent_id', '=', agentId)
  return query.executeTakeFirstOrThrow()
}

test('a client with machines is deleted only with a new site for them', async () => {
  await using prepared = await prepare()
  const { server, doomed, other, agent, caller } = prepared
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const refused = await caller.call(deleteClient, { params: { id: doomed.client_id }, query: {} })
  expect(refused.error).toMatchObject({ code: 'client_not_empty' })
  const moved = await caller.call(deleteClient, {
    params: { id: doomed.client_id },
    query: { move_to_site: other.id },
  })
  expect(moved.status).toBe(200)
  expect(await siteOf(server, agent.agent_id)).toMatchObject({ site_id: other.id })
  expect((await caller.call(listClients, { query: {} })).body.map(({ id }) => id)).toEqual([other.client_id])
  expect(events).toContainEqual({ type: 'client.changed', ids: [doomed.client_id, other.client_id] })
  expect(events).toContainEqual({ type: 'agent.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit).toMatchObject([
    {
      object_type: 'agent',
      action: 'modify',
      agent_id: agent.agent_id,
      agent: agent.hostname,
      site: 'Other',
    },
    { object_type: 'client', action: 'delete', client_id: doomed.client_id },
  ])
  expect(JSON.parse(audit[0]?.before_value ?? '')).toMatchObject({ site: 'Doomed' })
  expect(JSON.parse(audit[1]?.before_value ?? '')).toMatchObject({ sites: ['Doomed'] })
})

test('machines cannot move into a deleted, missing or invisible site', async () => {
  await using prepared = await prepare()
  const { server, given, doomed, other, agent, caller } = prepared
  const sibling = await given.site({ client_id: doomed.client_id })
  const move = (to: number, as = caller) =>
    as.call(deleteClient, { params: { id: doomed.client_id }, query: { move_to_site: to } })
  expect((await move(sibling.id)).error).toMatchObject({
    code: 'invalid',
    fields: { move_to_site: [expect.any(String)] },
  })
  expect((await move(9999)).status).toBe(404)
  const limited = server.as(await given.user({ permissions: MANAGE, clients: [doomed.client_id] }))
  expect((await move(other.id, limited)).status).toBe(404)
  expect(await siteOf(server, agent.agent_id)).toMatchObject({ site_id: doomed.id })
})

test('a site is deleted with its machines moved, but not the last site of a client', async () => {
  await using prepared = await prepare()
  const { server, given, doomed, agent, caller } = prepared
  const remove = (id: number, to?: number) =>
    caller.call(deleteSite, { params: { id }, query: to === undefined ? {} : { move_to_site: to } })
  expect((await remove(doomed.id)).error.detail).toMatch(/only site/)
  const sibling = await given.site({ client_id: doomed.client_id })
  expect((await remove(doomed.id)).error).toMatchObject({ code: 'client_not_empty' })
  expect((await remove(doomed.id, doomed.id)).error).toMatchObject({ code: 'invalid' })
  expect((await remove(doomed.id, sibling.id)).status).toBe(200)
  expect(await siteOf(server, agent.agent_id)).toMatchObject({ site_id: sibling.id })
})

test('of two concurrent deletions of the last two sites one is refused', async () => {
  await using prepared = await prepare()
  const { given, caller } = prepared
  const one = await given.site()
  const two = await given.site({ client_id: one.client_id })
  const answers = await Promise.all(
    [one, two].map(({ id }) => caller.call(deleteSite, { params: { id }, query: {} })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('a role limited to a client does not gain access to everything when the client is deleted', async () => {
  await using prepared = await prepare()
  const { server, given, doomed, other, caller } = prepared
  const limited = await given.user({ permissions: MANAGE, clients: [doomed.client_id] })
  const remove = () =>
    caller.call(deleteClient, { params: { id: doomed.client_id }, query: { move_to_site: other.id } })
  expect((await remove()).error.detail).toMatch(/would see every client/)
  await server.ctx.db
    .insertInto('role_sites')
    .values({ role_id: limited.roleId ?? 0, site_id: other.id })
    .execute()
  expect((await remove()).status).toBe(200)
  const seen = await server.as(limited).call(listClients, { query: {} })
  expect(seen.body.map(({ id }) => id)).toEqual([other.client_id])
})

test('a role limited to a site prevents the deletion of the site', async () => {
  await using prepared = await prepare()
  const { given, caller } = prepared
  const site = await given.site()
  await given.site({ client_id: site.client_id })
  await given.user({ sites: [site.id] })
  const { error } = await caller.call(deleteSite, { params: { id: site.id }, query: {} })
  expect(error.detail).toMatch(/would see every client/)
})

test('five thousand machines move in one transaction, each with its audit row', async () => {
  await using prepared = await prepare()
  const { server, doomed, other, agent, caller } = prepared
  const copies = Array.from({ length: 4999 }, (_, index) => ({
    ...agent,
    id: 10_000 + index,
    agent_id: `copy${String(index).padStart(8, '0')}`,
    machine_key: `copy ${index}`,
  }))
  for (let at = 0; at < copies.length; at += 500) {
    await server.ctx.db
      .insertInto('agents')
      .values(copies.slice(at, at + 500))
      .execute()
  }
  const { status } = await caller.call(deleteClient, {
    params: { id: doomed.client_id },
    query: { move_to_site: other.id },
  })
  expect(status).toBe(200)
  const { body } = await caller.call(listClients, { query: {} })
  expect(body).toMatchObject([{ id: other.client_id, agent_count: 5000 }])
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select('id')
    .where('object_type', '=', 'agent')
    .execute()
  expect(rows).toHaveLength(5000)
})
