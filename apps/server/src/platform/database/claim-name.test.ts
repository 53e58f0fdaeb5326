import { createClient, createSite, editClient, editSite, listClients } from '@muster/contract/api/clients'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const USER = 1
/** Every kind of thing with a unique name: where it is added, and the rest of its form. */
const KINDS: [string, (name: string) => object][] = [
  ['/clients/', (name) => ({ client: { name }, site: { name: 'Main' } })],
  ['/clients/sites/', (name) => ({ site: { client: 1, name } })],
  ['/automation/policies/', (name) => ({ name })],
  ['/scripts/', (name) => ({ name, shell: 'shell', script_body: 'uptime' })],
  ['/core/keystore/', (name) => ({ name, value: 'secret' })],
  ['/core/customfields/', (name) => ({ name, model: 'agent', type: 'text' })],
  ['/core/urlaction/', (name) => ({ name, pattern: 'https://docs.example/{{agent.hostname}}' })],
  ['/core/webhooks/', (name) => ({ name, url: 'https://hook.example', events: ['run.finished'] })],
  [
    '/alerts/channels/',
    (name) => ({ name, settings: { kind: 'webhook', url: 'https://hook.example' }, rules: {} }),
  ],
  ['/alerts/templates/', (name) => ({ name })],
  ['/alerts/escalations/', (name) => ({ name, steps: [{ after_minutes: 0, users: [USER] }] })],
  [
    '/alerts/oncall/',
    (name) => ({
      name,
      time_zone: 'Europe/Berlin',
      rotates: 'weekly',
      starts: '2026-01-05T08:00',
      members: [USER],
    }),
  ],
  ['/accounts/roles/', (name) => ({ name })],
  ['/accounts/apikeys/', (name) => ({ name, user: USER })],
  ['/scripts/snippets/', (name) => ({ name, shell: 'shell', code: 'true' })],
  ['/views/', (name) => ({ name })],
  ['/tags/', (name) => ({ name })],
]

test.each(KINDS)('names under %s are unique whatever their case', async (url, form) => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  await server.given.site()
  const add = (name: string) =>
    root.send({
      method: 'POST',
      url,
      payload: JSON.stringify(form(name)),
      headers: { 'content-type': 'application/json' },
    })
  expect(await add('Acme')).toMatchObject({ status: 200 })
  expect(await add('ACME')).toMatchObject({
    status: 409,
    error: { detail: expect.stringMatching(/already .* Its name is "Acme"\.$/) },
  })
  expect((await add('Acme\u034F')).status).toBe(400)
  const together = await Promise.all(['Berlin', 'BERLIN', 'berlin', 'BerliN'].map(add))
  expect(together.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
})

test('clients whose names break the rule keep working, and cannot be imitated', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const { given } = server
  const names = ['Acme', 'ACME', 'Acme\u200B', 'Cafe\u0301', 'Caf\u00E9', '\u202Eevil']
  const clients = []
  for (const name of names) clients.push(await given.client({ name }))
  for (const { id, name } of clients) {
    await given.site({ client_id: id })
    const saved = await root.call(editClient, { params: { id }, body: { client: { name, tags: ['kept'] } } })
    expect(saved).toMatchObject({ status: 200, body: { name } })
  }
  const rename = (id: number, name: string) =>
    root.call(editClient, { params: { id }, body: { client: { name } } })
  const [acme, , hidden] = clients
  expect((await rename(acme!.id, 'acme')).error).toMatchObject({ code: 'conflict' })
  expect((await rename(hidden!.id, 'Acme 2')).body).toMatchObject({ name: 'Acme 2' })
  expect((await rename(hidden!.id, 'acme 2')).body).toMatchObject({ name: 'acme 2' })
  const imitation = await root.call(createClient, {
    body: { client: { name: 'EVIL' }, site: { name: 'Main' } },
  })
  expect(imitation.error).toMatchObject({ code: 'conflict', fields: { 'client.name': [expect.any(String)] } })
  const { body } = await root.call(listClients, { query: {} })
  expect(body.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Acme', 'ACME', 'acme 2', 'Cafe\u0301', 'Caf\u00E9', '\u202Eevil']),
  )
})

test('names are stored composed, and a site cannot move to a client with a like name', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const one = await server.given.site({ name: 'Main' })
  const other = await server.given.site({ name: 'MAIN' })
  const added = await root.call(createSite, { body: { site: { client: one.client_id, name: 'Cafe\u0301' } } })
  expect(added.body).toMatchObject({ name: 'Caf\u00E9' })
  const moved = await root.call(editSite, {
    params: { id: one.id },
    body: { site: { client: other.client_id } },
  })
  expect(moved.error).toMatchObject({ code: 'conflict', fields: { 'site.name': [expect.any(String)] } })
})
