import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Check,
  type CheckSettings,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  getCheckSamples,
  runChecks,
} from '@muster/contract/api/checks'
import { listClients } from '@muster/contract/api/clients'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { TestAnswer } from '../../../testing/test-client.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'
import { ServerChecks } from './server-checks.ts'

const NOW = '2026-03-01T12:00:00.000Z'

/** A server that may reach itself, a web server, and a machine that never connected. */
async function prepare(env: Record<string, string> = { MUSTER_CHECK_TARGETS: 'any' }) {
  const server = await createTestServer({ env })
  server.clock.freeze(NOW)
  const web = { status: 200, requests: 0, hold: Promise.resolve() }
  const listener = createServer((_, response) => {
    web.requests += 1
    void web.hold.then(() => response.writeHead(web.status).end('hello'))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  // It listens on a port.
  const { port } = listener.address() as AddressInfo
  const agent = await server.given.agent({ hostname: 'PC-12', check_interval: 120 })
  const root = server.as(await server.given.user({ superuser: true }))
  const http = { check_type: 'http', name: 'Shop', url: `http://127.0.0.1:${port}/` } as const
  const state = async (id: number) => (await root.call(getCheck, { params: { id } })).body.check_result
  return {
    server,
    web,
    port,
    agent,
    root,
    http,
    state,
    add: async (settings: Partial<CheckSettings> & Pick<CheckSettings, 'check_type'>, more = {}) =>
      // Completed by the contract's defaults. Of a machine, not of a policy.
      root.call(createCheck, {
        body: { agent: agent.agent_id, settings: settings as CheckSettings, ...more },
      }) as Promise<TestAnswer<Check>>,
    /** Runs everything that is due, as one process. */
    work: async (processId = 'one') => {
      await using checks = new ServerChecks({ ...server.ctx, processId })
      checks.poll()
      await checks.settle()
    },
    runs: () => server.ctx.db.selectFrom('server_check_runs').selectAll().execute(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('an http check fails and passes, and so do its machine, site and client', async () => {
  await using prepared = await prepare()
  const { server, web, add, http, state, work, root } = prepared
  const { body: check } = await add(http)
  expect(check).toMatchObject({
    readable_desc: 'HTTP Shop',
    settings: { method: 'GET' },
  })
  await work()
  expect(await state(check.id)).toMatchObject({
    status: 'passing',
    last_run: NOW,
    more_info: expect.stringMatching(/^Answered 200/),
  })
  const tree = async () => (await root.call(listClients, { query: {} })).body[0]?.failing_checks
  expect(await tree()).toEqual({ error: false, warning: false })
  web.status = 503
  server.clock.advance(130)
  await work()
  expect(await state(check.id)).toMatchObject({
    status: 'failing',
    alert_severity: 'warning',
    more_info: expect.stringMatching(/^Answered 503 after .* ms, expected 200 to 399$/),
  })
  expect(await tree()).toEqual({ error: false, warning: true })
  server.clock.advance(20)
  const edit = { settings: { ...check.settings, expected_status: [503] } }
  const edited = await root.call(editCheck, { params: { id: check.id }, body: edit as never })
  expect(edited.body.check_result.status).toBe('passing')
  const from = Date.parse(NOW) / 1000
  const samples = await root.call(getCheckSamples, {
    params: { id: check.id },
    query: { from, to: from + 600 },
  })
  expect(samples.body.series).toMatchObject([{ name: 'ms', unit: 'ms' }])
  expect(samples.body.series[0]?.points.map(([at]) => at)).toEqual([from, from + 130])
  expect(samples.body.failures).toMatchObject([{ from: from + 130, to: from + 150 }])
})

test('a check runs at its interval with jitter, and survives a restart', async () => {
  await using prepared = await prepare()
  const { server, web, add, http, work, runs } = prepared
  await add(http)
  await work()
  await work()
  expect(web.requests).toBe(1)
  const [run] = await runs()
  const waits = (Date.parse(run?.due_at ?? '') - Date.parse(NOW)) / 1000
  expect(waits).toBeGreaterThanOrEqual(114)
  expect(waits).toBeLessThanOrEqual(126)
  server.clock.advance(127)
  await work('after a restart')
  expect(web.requests).toBe(2)
})

test('one of two processes measures each run', async () => {
  await using prepared = await prepare()
  const { server, web, add, http, work, runs } = prepared
  for (let count = 0; count < 60; count += 1) await add(http)
  await Promise.all([work('one'), work('two')])
  await Promise.all([work('one'), work('two')])
  expect(web.requests).toBe(60)
  expect((await runs()).every(({ claimed_by }) => claimed_by === null)).toBe(true)
  const [{ count } = { count: 0 }] = await server.ctx.db
    .selectFrom('check_results')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .execute()
  expect(Number(count)).toBe(60)
})

test('runs of a dead process are taken over after a minute', async () => {
  await using prepared = await prepare()
  const { server, web, add, http, work } = prepared
  await add(http)
  await server.ctx.db
    .updateTable('server_check_runs')
    .set({ claimed_by: 'dead', claimed_until: new Date(Date.parse(NOW) + 60_000).toISOString() })
    .execute()
  await work()
  expect(web.requests).toBe(0)
  server.clock.advance(61)
  await work()
  expect(web.requests).toBe(1)
})

test('the result of a process that lost its claim is dropped', async () => {
  await using prepared = await prepare()
  const { server, web, add, http, state, work } = prepared
  const { body: check } = await add(http)
  const held = Promise.withResolvers<void>()
  web.hold = held.promise
  const slow = work('slow')
  await vi.waitFor(() => expect(web.requests).toBe(1))
  await server.ctx.db.updateTable('server_check_runs').set({ claimed_by: 'other' }).execute()
  held.resolve()
  await slow
  expect(await state(check.id)).toMatchObject({ status: 'pending' })
})

test('a check changed during a run runs again, and a deleted one leaves nothing', async () => {
  await using prepared = await prepare()
  const { web, add, http, state, work, root, runs } = prepared
  const { body: check } = await add(http)
  const held = Promise.withResolvers<void>()
  web.hold = held.promise
  const first = work()
  await vi.waitFor(() => expect(web.requests).toBe(1))
  const settings = { ...check.settings, url: `${http.url}other` }
  await root.call(editCheck, { params: { id: check.id }, body: { settings: settings as never } })
  held.resolve()
  await first
  expect(await state(check.id)).toMatchObject({ status: 'pending' })
  await work()
  expect(await state(check.id)).toMatchObject({ status: 'passing' })
  await root.call(deleteCheck, { params: { id: check.id } })
  expect(await runs()).toEqual([])
})

test('it can run now although its machine is offline', async () => {
  await using prepared = await prepare()
  const { web, add, http, work, root, agent } = prepared
  const { body: check } = await add(http)
  const { body: cpu } = await add({ check_type: 'cpuload' })
  await work()
  const run = (ids?: number[]) =>
    root.call(runChecks, { params: { agent_id: agent.agent_id }, body: ids === undefined ? {} : { ids } })
  expect((await run([check.id])).status).toBe(200)
  await work()
  expect(web.requests).toBe(2)
  expect((await run()).status).toBe(200)
  await work()
  expect(web.requests).toBe(3)
  expect((await run([check.id, cpu.id])).error).toMatchObject({ code: 'agent_offline' })
})

test('a listening server runs its checks, and does not send them to machines', async () => {
  await using server = await createTestServer({ env: { MUSTER_CHECK_TARGETS: 'any' } })
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  await machine.connect({})
  const root = server.as(await server.given.user({ superuser: true }))
  const tcp = { check_type: 'tcp', name: 'Own', host: '127.0.0.1', port: Number(new URL(url).port) } as const
  const { body: check } = await root.call(createCheck, { body: { agent: machine.agentId, settings: tcp } })
  const state = async () => (await root.call(getCheck, { params: { id: check.id } })).body.check_result
  await vi.waitFor(async () => expect((await state()).status).toBe('passing'))
  const { revision } = await server.ctx.db.selectFrom('checks').select('revision').executeTakeFirstOrThrow()
  const at = new Date(server.clock.now().getTime() + 1000).toISOString()
  const lie = { check_type: 'unmeasurable', reason: 'The server is down.' } as const
  const seq = machine.report({
    kind: 'checks',
    results: [{ check_id: check.id, revision, at, measured: lie }],
  })
  await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  expect((await state()).status).toBe('passing')
  expect(machine.frames.filter(({ type }) => type === 'command')).toEqual([])
  machine.cut()
})

test('forbidden targets are refused with a sentence at their field', async () => {
  await using prepared = await prepare({})
  const { add, http } = prepared
  const tcp = { check_type: 'tcp', name: 'x', host: '192.0.2.1', port: 443 } as const
  const dns = { check_type: 'dns', name: 'x', record_name: 'example.org' } as const
  const cases: [object, string, RegExp][] = [
    [http, 'url', /belongs to this server/],
    [{ ...http, url: 'http://LOCALHOST:8420/' }, 'url', /belongs to this server/],
    [{ ...http, url: 'http://2130706433/' }, 'url', /127\.0\.0\.1 belongs to this server/],
    [{ ...http, url: 'http://[::ffff:169.254.169.254]/' }, 'url', /belongs to this server/],
    [{ ...http, url: 'file:///etc/passwd' }, 'url', /http:\/\/ or https:\/\//],
    [{ ...http, url: 'gopher://example.org/' }, 'url', /http:\/\/ or https:\/\//],
    [{ ...http, url: 'http://' }, 'url', /http:\/\/ or https:\/\//],
    [{ ...http, url: 'https://ada:secret@example.org/' }, 'url', /Remove the user name and password/],
    [{ ...http, url: `https://example.org/${'x'.repeat(5000)}` }, 'url', /At most 2000/],
    [{ ...http, url: 'https://example.org', text_present: 'x'.repeat(2000) }, 'text_present', /At most 1000/],
    [{ ...http, url: 'https://example.org', method: 'HEAD', text_absent: 'x' }, 'text_absent', /has no text/],
    [{ ...http, url: 'https://example.org', expected_status: [99] }, 'expected_status.0', /100/],
    [
      { ...http, url: 'https://example.org', warning_threshold: 9, error_threshold: 8 },
      'warning_threshold',
      /must be less/,
    ],
    [
      { ...http, url: 'https://example.org', cert_warning_days: 3, cert_error_days: 3 },
      'cert_warning_days',
      /must be more/,
    ],
    [{ ...tcp, host: '127.0.0.1' }, 'host', /belongs to this server/],
    [{ ...tcp, host: '-oProxy' }, 'host', /host name or an address/],
    [{ ...tcp, port: 0 }, 'port', /At least 1/],
    [{ ...tcp, warning_threshold: 20_000 }, 'warning_threshold', /At most 10000/],
    [{ ...dns, resolver: '127.0.0.1' }, 'resolver', /belongs to this server/],
    [{ ...dns, resolver: 'ns.example.org' }, 'resolver', /Use an address/],
    [{ ...dns, record_name: '../x' }, 'record_name', /domain name/],
    [{ ...dns, record_type: 'ANY' }, 'record_type', /Choose one of/],
  ]
  for (const [settings, field, words] of cases) {
    const { status, error } = await add(settings as typeof http)
    expect([status, error.fields]).toEqual([400, { [`settings.${field}`]: [expect.stringMatching(words)] }])
  }
  expect((await add({ ...http, url: 'http://192.168.1.1/' })).status).toBe(200)
})
