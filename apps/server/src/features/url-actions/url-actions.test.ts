import { createCustomField } from '@muster/contract/api/custom-fields'
import { editClient } from '@muster/contract/api/clients'
import {
  createUrlAction,
  deleteUrlAction,
  editUrlAction,
  listUrlActions,
  runUrlAction,
} from '@muster/contract/api/url-actions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const acme = await given.client({ name: 'Acme & Sons' })
  const site = await given.site({ client_id: acme.id, name: 'Berlin' })
  const agent = await given.agent({ site_id: site.id, hostname: 'pc 1/a' })
  const other = await given.agent({ hostname: 'elsewhere' })
  const root = server.as(await given.user({ superuser: true }))
  const permissions = ['can_run_urlactions'] as const
  const limited = server.as(await given.user({ username: 'ada', permissions, clients: [acme.id] }))
  const add = async (pattern: string, name = pattern.slice(0, 40)) =>
    (await root.call(createUrlAction, { body: { name, pattern } })).body
  return {
    server,
    acme,
    site,
    agent,
    other,
    root,
    limited,
    add,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a URL is made for a machine, a site or a client, with encoded values', async () => {
  await using prepared = await prepare()
  const { server, acme, site, agent, other, limited, add } = prepared
  const { id: action } = await add('https://docs.example.org/{{client.name}}?host={{agent.hostname}}', 'Docs')
  const { id: ofClient } = await add('https://docs.example.org/{{client.name}}/{{client.id}}')
  const { id: ofSite } = await add('ssh://{{site.name}}.{{site.client}}')
  const run = (body: object) => limited.call(runUrlAction, { body: body as { action: number } })
  expect((await run({ action, agent_id: agent.agent_id })).body).toBe(
    'https://docs.example.org/Acme%20%26%20Sons?host=pc%201%2Fa',
  )
  expect((await run({ action: ofClient, client: acme.id })).body).toBe(
    `https://docs.example.org/Acme%20%26%20Sons/${acme.id}`,
  )
  expect((await run({ action: ofSite, site: site.id })).body).toBe('ssh://Berlin.Acme%20%26%20Sons')
  expect((await run({ action, site: site.id })).error.detail).toBe(
    '{{agent.hostname}} has no value for Berlin. Check the name or set a value.',
  )
  expect((await run({ action, agent_id: other.agent_id })).status).toBe(404)
  expect((await run({ action: 999, agent_id: agent.agent_id })).status).toBe(404)
  expect((await run({ action })).status).toBe(400)
  expect((await run({ action, agent_id: agent.agent_id, site: site.id })).status).toBe(400)
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'url_action')
    .execute()
  expect(
    rows.map(({ username, message, agent: machine, client }) => ({ username, message, machine, client })),
  ).toEqual([
    { username: 'ada', message: 'Opened the URL action "Docs"', machine: 'pc 1/a', client: 'Acme & Sons' },
    expect.objectContaining({ machine: null, client: 'Acme & Sons' }),
    expect.objectContaining({ machine: null, client: 'Acme & Sons' }),
  ])
})

test('a value at the start is a base address, and must be a web address', async () => {
  await using prepared = await prepare()
  const { acme, root, limited, add } = prepared
  const { body: field } = await root.call(createCustomField, {
    body: { model: 'client', type: 'text', name: 'Docs' },
  })
  const { id: action } = await add('{{client.Docs}}/start')
  const setDocs = (value: string) =>
    root.call(editClient, {
      params: { id: acme.id },
      body: { client: {}, custom_fields: [{ field: field.id, string_value: value }] },
    })
  const open = () => limited.call(runUrlAction, { body: { action, client: acme.id } })
  await setDocs('https://wiki.example.org/acme')
  expect((await open()).body).toBe('https://wiki.example.org/acme/start')
  await setDocs('javascript:alert(1)//')
  expect((await open()).error.detail).toBe(
    '{{client.Docs}} of Acme & Sons is not a web address: javascript:alert(1)//',
  )
})

test.each([
  [
    'javascript:alert(1)',
    'Enter a URL with its scheme, such as https://docs.example.org/{{agent.hostname}}.',
  ],
  [
    'JavaScript:alert(1)',
    'Enter a URL with its scheme, such as https://docs.example.org/{{agent.hostname}}.',
  ],
  ['docs.example.org', 'Enter a URL with its scheme, such as https://docs.example.org/{{agent.hostname}}.'],
  ['https://example.org/?key={{ global.API }}', 'A URL would show the value of a key.'],
  [`https://${'a'.repeat(2000)}`, 'A URL has at most 2,000 characters.'],
])('the pattern %s is refused', async (pattern, sentence) => {
  await using prepared = await prepare()
  const refused = await prepared.root.call(createUrlAction, { body: { name: 'x', pattern } })
  expect([refused.status, refused.error.fields?.['pattern']]).toEqual([400, [sentence]])
})

test('actions are listed by name, changed with a check of the version, and deleted', async () => {
  await using prepared = await prepare()
  const { root, limited, add } = prepared
  const wiki = await add('https://wiki.example.org', 'Wiki')
  await add('https://docs.example.org', 'Docs')
  const names = async () => (await limited.call(listUrlActions, { query: {} })).body.map(({ name }) => name)
  expect(await names()).toEqual(['Docs', 'Wiki'])
  const params = { id: wiki.id }
  const { modified } = wiki
  const { body: changed } = await root.call(editUrlAction, { params, body: { desc: 'Notes', modified } })
  expect(changed).toMatchObject({ name: 'Wiki', desc: 'Notes', pattern: wiki.pattern, action_type: 'web' })
  expect((await root.call(editUrlAction, { params, body: { name: 'Old', modified } })).status).toBe(409)
  expect((await root.call(editUrlAction, { params, body: { name: 'Docs' } })).error.detail).toBe(
    'A URL action named "Docs" already exists.',
  )
  expect((await limited.call(deleteUrlAction, { params })).status).toBe(403)
  await root.call(deleteUrlAction, { params })
  expect(await names()).toEqual(['Docs'])
})
