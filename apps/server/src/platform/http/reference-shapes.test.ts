import { createAlert, listAlerts } from '@muster/contract/api/alerts'
import { createCheck, listAgentChecks } from '@muster/contract/api/checks'
import { listAgentHistory, sendCommand } from '@muster/contract/api/runs'
import { createScript } from '@muster/contract/api/scripts'
import { expect, test, vi } from 'vitest'
import { result, startRuns } from '../../features/runs/test-run.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

/** A connected machine, and a program whose requests name no shape. */
async function prepare(server: TestServer) {
  const given = await startRuns(server)
  const { agent, ada } = given
  await agent.comeOnline()
  const program = server.withKey(await server.given.apiKey(ada))
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
    program.send({ method, url, ...(body === undefined ? {} : { payload: body }) })
  /** The machine runs the next command. */
  const runs = async (from: number, output: string, more: object = {}) => {
    const { payload } = await agent.nextCommand(from)
    const id = payload.history_id ?? 0
    agent.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: output })
    agent.report(result(id, more))
    return payload
  }
  return {
    ...given,
    program,
    send,
    runs,
    path: `/agents/${agent.agentId}`,
    [Symbol.dispose]: () => agent.cut(),
  }
}

test('a command returns its output as text, with a shell by its path and a number as text', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, send, runs, path } = fixture
  let from = agent.frames.length
  const bash = send('POST', `${path}/cmd/`, { shell: '/bin/bash', cmd: 'uptime', timeout: '45' })
  expect((await runs(from, 'up 3 days\n')).input).toMatchObject({ shell: 'bash', timeout_seconds: 45 })
  expect((await bash).body).toBe('up 3 days\n')
  from = agent.frames.length
  const zsh = send('POST', `${path}/cmd/`, { shell: '/usr/bin/zsh', custom_shell: null, cmd: 'exit 3' })
  expect((await runs(from, '', { retcode: 3 })).input).toMatchObject({ shell: 'custom' })
  expect((await zsh).body).toBe('')
  from = agent.frames.length
  const slow = send('POST', `${path}/cmd/`, { shell: 'sh', cmd: 'sleep 60', timeout: 30 })
  await runs(from, 'half', { outcome: 'timed_out', reason: 'It took longer than 30 s.', retcode: null })
  expect((await slow).body).toBe('half\nIt took longer than 30 s.')
  for (const timeout of ['', '1e3', '-1', '99999999'])
    expect((await send('POST', `${path}/cmd/`, { shell: 'sh', cmd: 'ls', timeout })).status).toBe(400)
})

test('a command for an offline machine is refused, and never runs later', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, send, path } = fixture
  agent.cut()
  await vi.waitFor(async () => {
    const row = await server.ctx.db.selectFrom('agents').select('connected').executeTakeFirstOrThrow()
    expect(row.connected).toBe(0)
  })
  const { error } = await send('POST', `${path}/cmd/`, { shell: 'sh', cmd: 'uptime' })
  expect(error).toMatchObject({ code: 'agent_offline' })
  expect(await server.ctx.db.selectFrom('agent_history').selectAll().execute()).toEqual([])
})

test('a script returns its output, or a sentence if nobody waits; the history has results', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, program, send, runs, path, params } = fixture
  const { body: script } = await server.as(ada).call(createScript, {
    body: { name: 'Uptime', shell: 'shell', script_body: 'uptime' },
  })
  let from = agent.frames.length
  const waits = send('POST', `${path}/runscript/`, { script: script.id, output: 'wait', timeout: '60' })
  await runs(from, 'up\n')
  expect((await waits).body).toBe('up\n')
  from = agent.frames.length
  const forgets = send('POST', `${path}/runscript/`, { script: script.id, output: 'forget', timeout: 60 })
  expect((await forgets).body).toBe('Uptime was sent to the machine.')
  await runs(from, 'again\n')
  await vi.waitFor(async () =>
    expect((await send('GET', `${path}/history/`)).body).toMatchObject([
      {
        type: 'script_run',
        results: 'again\n',
        script_results: { stdout: 'again\n', stderr: '', retcode: 0 },
      },
      { type: 'script_run', results: 'up\n', script_results: { stdout: 'up\n', stderr: '', retcode: 0 } },
    ]),
  )
  const own = (await program.call(listAgentHistory, { params })).body
  expect(own).toHaveLength(2)
  expect(own[0]).not.toHaveProperty('results')
})

test('checks have their settings beside the other fields, also in a page', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, program, send, path, params } = fixture
  const { body: check } = await server.as(ada).call(createCheck, {
    body: { agent: agent.agentId, settings: { check_type: 'service', svc_name: 'ssh.service' } },
  })
  const flat = { id: expect.any(Number), check_type: 'winsvc', svc_name: 'ssh.service', fails_b4_alert: 1 }
  expect((await send('GET', `${path}/checks/`)).body).toMatchObject([flat])
  expect((await send('GET', `${path}/checks/?page=1`)).body).toMatchObject({ total: 1, results: [flat] })
  const { body: read } = await send('GET', `/checks/${'id' in check ? check.id : 0}/`)
  expect(read).toMatchObject(flat)
  const own = (await program.call(listAgentChecks, { params })).body
  expect(own).toMatchObject([{ settings: { check_type: 'service' } }])
  expect(own[0]).not.toHaveProperty('svc_name')
})

test('alerts by filters are a list, and all of them without a filter', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, program, send } = fixture
  const body = { severity: 'warning' as const, agent: agent.agentId }
  const { body: first } = await program.call(createAlert, { body: { ...body, message: 'First' } })
  await program.call(createAlert, { body: { ...body, message: 'Second' } })
  expect((await send('PUT', `/alerts/${first.id}/`, { type: 'resolve' })).body).toMatchObject({
    resolved: true,
  })
  const messages = async (filter: object) => {
    const { body: rows } = await send('PATCH', '/alerts/', filter)
    return (rows as { message: string }[])
      .map(({ message }) => message)
      .toSorted((a, b) => a.localeCompare(b))
  }
  expect(await messages({})).toEqual(['First', 'Second'])
  expect(await messages({ resolvedFilter: false, severityFilter: ['warning'], timeFilter: 7 })).toEqual([
    'Second',
  ])
  expect((await send('PATCH', '/alerts/', { top: 10 })).body).toMatchObject({
    alerts_count: 1,
    alerts: [{ message: 'Second', resolved: false, snoozed: false, hidden: false, assigned_check: null }],
  })
  expect((await program.call(listAlerts, { body: {} })).body).toMatchObject({ alerts_count: 1 })
})

test('people in the console always get the own shape', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, runs, params } = fixture
  const from = agent.frames.length
  const person = server.as(ada)
  const answer = person.send({
    method: 'POST',
    url: `/agents/${params.agent_id}/cmd/`,
    payload: { shell: 'sh', cmd: 'ls' },
  })
  await runs(from, 'a\n')
  expect((await answer).body).toMatchObject({ state: 'done', stdout: 'a\n' })
  const called = agent.frames.length
  const own = person.call(sendCommand, { params, body: { shell: 'sh', cmd: 'ls' } })
  await runs(called, 'b\n')
  expect((await own).body).toMatchObject({ stdout: 'b\n' })
})
