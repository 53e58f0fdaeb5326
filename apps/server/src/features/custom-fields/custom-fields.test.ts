import { editAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import { createClient, createSite, editClient, editSite, listClients } from '@muster/contract/api/clients'
import {
  createCustomField,
  deleteCustomField,
  editCustomField,
  listCustomFields,
  listModelFields,
} from '@muster/contract/api/custom-fields'
import type { Input } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import type { TestClient } from '../../testing/test-client.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

type Form = Input<typeof createCustomField>['body']
const TEXT: Form = { model: 'agent', type: 'text', name: 'Room' }

async function asRoot(server: TestServer) {
  return server.as(await server.given.user({ superuser: true }))
}

async function addField(root: TestClient, form: Partial<Form> = {}) {
  return (await root.call(createCustomField, { body: { ...TEXT, ...form } })).body
}

test('a field is added as the last of its model, and can be moved', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  await addField(root, { model: 'site', name: 'Other' })
  await addField(root, { name: 'A' })
  await addField(root, { name: 'B' })
  const last = await addField(root, { name: 'C' })
  expect(last).toMatchObject({ order: 2, required: false, hide_in_ui: false, options: [] })
  await root.call(editCustomField, { params: { id: last.id }, body: { order: 0 } })
  const listed = await root.call(listModelFields, { body: { model: 'agent' } })
  expect(listed.body.map(({ name, order }) => [name, order])).toEqual([
    ['C', 0],
    ['A', 1],
    ['B', 2],
  ])
  expect((await root.call(listCustomFields, { query: {} })).body).toHaveLength(4)
})

test.each<[string, Partial<Form>, string]>([
  ['choices that are missing', { type: 'single' }, 'options'],
  ['a choice twice', { type: 'multiple', options: ['a', 'a'] }, 'options'],
  [
    'a default that is not a choice',
    { type: 'single', options: ['a'], default_value_string: 'b' },
    'default_value_string',
  ],
  ['a default that is not a number', { type: 'number', default_value_string: 'x' }, 'default_value_string'],
  ['required without a default', { required: true }, 'default_value_string'],
  ['a checkbox that is required', { type: 'checkbox', required: true }, 'required'],
  ['a name with braces', { name: 'a}}' }, 'name'],
])('a definition is refused for %s', async (_why, form, name) => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { status, error } = await root.call(createCustomField, { body: { ...TEXT, ...form } })
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, [name]])
})

test('names are unique within a model, and model and type cannot change', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { id, modified } = await addField(root)
  await addField(root, { model: 'client' })
  expect((await root.call(createCustomField, { body: TEXT })).error.detail).toBe(
    'Machines already have a field named "Room".',
  )
  const params = { id }
  expect((await root.call(editCustomField, { params, body: { type: 'number' } })).status).toBe(400)
  expect((await root.call(editCustomField, { params, body: { model: 'site' } })).status).toBe(400)
  await root.call(editCustomField, { params, body: { hide_in_summary: true, modified } })
  const late = await root.call(editCustomField, { params, body: { name: 'Desk', modified } })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
})

test('spec, custom fields: values of a machine are sent by kind, shown with it and in its row, and audited', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { agent_id } = await server.given.agent({ hostname: 'pc-1' })
  const room = await addField(root)
  const tags = await addField(root, { name: 'Tags', type: 'multiple', options: ['x', 'y', 'z'] })
  const vip = await addField(root, { name: 'VIP', type: 'checkbox', hide_in_summary: true })
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const params = { agent_id }
  const saved = await root.call(editAgent, {
    params,
    body: {
      custom_fields: [
        { field: room.id, string_value: ' Attic ' },
        { field: tags.id, multiple_value: ['z', 'x'] },
        { field: vip.id, bool_value: true },
      ],
    },
  })
  expect(saved.body.custom_fields).toMatchObject([
    { field: room.id, agent: agent_id, name: 'Room', type: 'text', value: 'Attic', hide_in_summary: false },
    { field: tags.id, value: ['x', 'z'] },
    { field: vip.id, value: true, hide_in_summary: true },
  ])
  const rows = await root.call(listAgents, { query: {} })
  expect(rows.text).toContain('Attic')
  expect(events).toContainEqual({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().execute()
  expect(JSON.parse(audit.at(-1)?.after_value ?? '{}')).toEqual({
    custom_fields: { Room: 'Attic', Tags: ['x', 'z'], VIP: true },
  })
  // An empty value is removed, and fields that are not named keep theirs.
  const emptied = await root.call(editAgent, {
    params,
    body: { custom_fields: [{ field: room.id, string_value: '' }] },
  })
  expect(emptied.body.custom_fields.map(({ name }) => name)).toEqual(['Tags', 'VIP'])
})

test('a value of the wrong kind, without a choice, of another model or given twice changes nothing', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { agent_id } = await server.given.agent()
  const room = await addField(root)
  const plan = await addField(root, { name: 'Plan', type: 'single', options: ['gold'] })
  const site = await addField(root, { model: 'site' })
  const must = await addField(root, { name: 'Must', required: true, default_value_string: 'x' })
  const params = { agent_id }
  for (const [custom_fields, sentence] of [
    [[{ field: room.id, bool_value: true }], 'Room requires only a string_value.'],
    [[{ field: plan.id, string_value: 'tin' }], '"tin" is not a choice of Plan.'],
    [[{ field: site.id, string_value: 'x' }], `This custom field of a machine does not exist (${site.id}).`],
    [[{ field: must.id, string_value: ' ' }], 'Must is needed.'],
    [
      [
        { field: room.id, string_value: 'a' },
        { field: room.id, string_value: 'b' },
      ],
      'Room is given twice. Send it once.',
    ],
  ] as const) {
    const { status, error } = await root.call(editAgent, {
      params,
      body: { description: 'changed', custom_fields: [...custom_fields] },
    })
    expect([status, error.detail]).toEqual([400, sentence])
  }
  const { body } = await root.call(getAgent, { params })
  expect([body.description, body.custom_fields]).toEqual(['', []])
})

test('clients and sites have their own fields, set when they are added or changed', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const contract = await addField(root, { model: 'client', name: 'Contract', type: 'number' })
  const door = await addField(root, { model: 'site', name: 'Door code' })
  const client = await root.call(createClient, {
    body: {
      client: { name: 'Acme' },
      site: { name: 'Berlin' },
      custom_fields: [{ field: contract.id, string_value: '7' }],
    },
  })
  expect(client.body.custom_fields).toMatchObject([{ field: contract.id, value: '7' }])
  const id = client.body.id
  const site = await root.call(createSite, {
    body: { site: { client: id, name: 'Bonn' }, custom_fields: [{ field: door.id, string_value: '1234' }] },
  })
  expect(site.body.custom_fields).toMatchObject([{ field: door.id, value: '1234' }])
  await root.call(editSite, {
    params: { id: site.body.id },
    body: { site: {}, custom_fields: [{ field: door.id, string_value: '9' }] },
  })
  await root.call(editClient, {
    params: { id },
    body: { client: { name: 'Acme' }, custom_fields: [{ field: contract.id, string_value: '8' }] },
  })
  const [listed] = (await root.call(listClients, { query: {} })).body
  expect(listed?.custom_fields).toMatchObject([{ value: '8' }])
  expect(listed?.sites.map(({ custom_fields }) => custom_fields.map(({ value }) => value))).toEqual([
    [],
    ['9'],
  ])
  const messages = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(messages.map(({ message }) => message).slice(-2)).toEqual([
    'Changed the custom fields of the site "Bonn"',
    'Changed the custom fields of the client "Acme"',
  ])
})

test('a deleted field deletes its values and notifies the machines that had one', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { agent_id } = await server.given.agent()
  const room = await addField(root)
  const params = { agent_id }
  await root.call(editAgent, {
    params,
    body: { custom_fields: [{ field: room.id, string_value: 'Attic' }] },
  })
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  await root.call(deleteCustomField, { params: { id: room.id } })
  expect((await root.call(getAgent, { params })).body.custom_fields).toEqual([])
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['agent.changed', 'customfield.changed']),
  )
  expect((await root.call(deleteCustomField, { params: { id: room.id } })).status).toBe(404)
})

test('a removed choice may stay where it is in use', async () => {
  await using server = await createTestServer()
  const root = await asRoot(server)
  const { agent_id } = await server.given.agent()
  const plan = await addField(root, { name: 'Plan', type: 'single', options: ['gold', 'tin'] })
  const give = (string_value: string) =>
    root.call(editAgent, {
      params: { agent_id },
      body: { custom_fields: [{ field: plan.id, string_value }] },
    })
  await give('tin')
  await root.call(editCustomField, { params: { id: plan.id }, body: { options: ['gold'] } })
  expect((await give('tin')).status).toBe(200)
  expect((await give('gold')).status).toBe(200)
  expect((await give('tin')).status).toBe(400)
})
