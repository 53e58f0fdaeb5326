import { listAudit } from '@muster/contract/api/audit'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { audit, type AuditInput } from './write-audit.ts'

const ADA = { username: 'ada', source: '192.0.2.1' }

function write(server: TestServer, input: Partial<AuditInput>) {
  return audit(server.ctx.db, {
    caller: ADA,
    action: 'modify',
    object_type: 'agent',
    message: 'something',
    at: server.ctx.now(),
    ...input,
  })
}

test('a row keeps the names of the machine, its site and client, and survives them', async () => {
  await using server = await createTestServer()
  const client = await server.given.client({ name: 'Acme' })
  const site = await server.given.site({ client_id: client.id, name: 'Berlin' })
  const agent = await server.given.agent({ site_id: site.id, hostname: '<img onerror=alert(1)>' })
  await write(server, { agent, before: { description: 'a' }, after: { description: 'b' } })
  await server.ctx.db.deleteFrom('agents').execute()
  const reader = await server.given.user({ permissions: ['can_view_auditlogs'] })
  const { body } = await server.as(reader).call(listAudit, { body: {} })
  expect(body).toMatchObject({
    total: 1,
    audit_logs: [
      {
        agent: '<img onerror=alert(1)>',
        agent_id: agent.agent_id,
        client: 'Acme',
        site: 'Berlin',
        username: 'ada',
        ip_address: '192.0.2.1',
        before_value: { description: 'a' },
        after_value: { description: 'b' },
      },
    ],
  })
})

test('before and after never hold secrets, and long texts are cut', async () => {
  await using server = await createTestServer()
  await write(server, {
    before: { password: 'geheim', nested: [{ api_key: 'geheim', totp_key: 'geheim', has_token: true }] },
    after: { env_vars: ['DB_PASS=geheim', 'geheim'], script_body: 'x'.repeat(100_000), token: null },
  })
  const row = await server.ctx.db.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('geheim')
  expect(JSON.parse(row.before_value ?? '')).toMatchObject({ nested: [{ has_token: true }] })
  expect(row.after_value).toContain('DB_PASS=')
  expect(row.after_value).toContain('90000 more characters')
})

test('each filter narrows the list, and they work together', async () => {
  await using server = await createTestServer()
  const one = await server.given.agent()
  const two = await server.given.agent()
  server.clock.advance(-10 * 86_400)
  await write(server, { agent: one, action: 'execute_command' })
  server.clock.advance(10 * 86_400)
  await write(server, { agent: one })
  await write(server, { agent: two, caller: { ...ADA, username: 'eve' } })
  await write(server, { object_type: 'script', action: 'add' })
  const reader = server.as(await server.given.user({ permissions: ['can_view_auditlogs'] }))
  const total = async (filter: object) => (await reader.call(listAudit, { body: filter })).body.total
  const client = await server.ctx.db
    .selectFrom('sites')
    .where('id', '=', two.site_id)
    .select('client_id')
    .executeTakeFirstOrThrow()
  expect(await total({})).toBe(4)
  expect(await total({ agentFilter: [one.agent_id] })).toBe(2)
  expect(await total({ agentFilter: [one.agent_id, two.agent_id] })).toBe(3)
  expect(await total({ clientFilter: [client.client_id] })).toBe(1)
  expect(await total({ userFilter: ['eve'] })).toBe(1)
  expect(await total({ actionFilter: ['add', 'execute_command'] })).toBe(2)
  expect(await total({ objectFilter: ['script'] })).toBe(1)
  expect(await total({ timeFilter: 7 })).toBe(3)
  expect(await total({ agentFilter: [one.agent_id], timeFilter: 7 })).toBe(1)
  expect(await total({ agentFilter: [] })).toBe(0)
})

test('pages come in the requested order and add up', async () => {
  await using server = await createTestServer()
  for (let index = 0; index < 7; index += 1) await write(server, { message: `row ${index}` })
  const reader = server.as(await server.given.user({ permissions: ['can_view_auditlogs'] }))
  const page = async (pagination: object) => {
    const { body } = await reader.call(listAudit, { body: { pagination } })
    expect(body.total).toBe(7)
    return body.audit_logs.map(({ message }) => message)
  }
  expect(await page({ rowsPerPage: 3 })).toEqual(['row 6', 'row 5', 'row 4'])
  expect(await page({ rowsPerPage: 3, page: 3 })).toEqual(['row 0'])
  expect(await page({ rowsPerPage: 3, page: 9 })).toEqual([])
  expect(await page({ rowsPerPage: 2, descending: false })).toEqual(['row 0', 'row 1'])
  const wrong = await reader.call(listAudit, { body: { pagination: { rowsPerPage: 5000 } } })
  expect(wrong.status).toBe(400)
})

test('a limited user sees rows of their clients and sites, and none of others or the server', async () => {
  await using server = await createTestServer()
  const mine = await server.given.client({ name: 'mine' })
  const here = await server.given.site({ client_id: mine.id })
  const beside = await server.given.site({ client_id: mine.id })
  const foreign = await server.given.agent({ hostname: 'foreign' })
  await write(server, { message: 'server' })
  await write(server, { message: 'foreign agent', agent: foreign })
  await write(server, { message: 'foreign site', site: { id: foreign.site_id } })
  await write(server, { message: 'client', client: mine })
  await write(server, { message: 'here', agent: await server.given.agent({ site_id: here.id }) })
  await write(server, { message: 'beside', site: beside })
  const seen = async (scope: { clients?: number[]; sites?: number[] }) => {
    const reader = server.as(await server.given.user({ permissions: ['can_view_auditlogs'], ...scope }))
    const { body } = await reader.call(listAudit, { body: {} })
    expect(body.total).toBe(body.audit_logs.length)
    return body.audit_logs.map(({ message }) => message).toSorted()
  }
  expect(await seen({ clients: [mine.id] })).toEqual(['beside', 'client', 'here'])
  expect(await seen({ sites: [here.id] })).toEqual(['here'])
  expect(await seen({})).toHaveLength(6)
})

test('a new row updates open audit screens', async () => {
  await using server = await createTestServer()
  const events: unknown[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const agent = await server.given.agent()
  await write(server, { agent, emit: server.ctx.emit })
  expect(events).toEqual([{ type: 'audit.added', ids: [expect.any(Number)], agent_ids: [agent.agent_id] }])
})
