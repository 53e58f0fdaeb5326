import {
  cancelHistory,
  getHistory,
  getHistoryOutput,
  listAgentHistory,
  runScript,
  sendCommand,
} from '@muster/contract/api/runs'
import { getAgent } from '@muster/contract/api/agents'
import { listNotes } from '@muster/contract/api/notes'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { expireRuns } from './fail-lost-runs.ts'
import { DAILY_OUTPUT_CAP_BYTES, OUTPUT_CAP_BYTES } from './store-run-reports.ts'
import { at, bash, result, startRuns } from './test-run.ts'

test('a command goes through queued, sent, accepted, running, done, and its request waits for the end', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada, params, look } = given
  await agent.connect()
  const answer = server.as(ada).call(sendCommand, { params, body: bash })
  const { payload } = await agent.nextCommand(0)
  expect(payload).toMatchObject({ name: 'run-command', agent_id: agent.agentId, author: 'ada', protocol: 1 })
  expect(payload.input).toMatchObject({
    shell: 'bash',
    cmd: 'uptime',
    timeout_seconds: 30,
    run_as_user: null,
  })
  const id = payload.history_id ?? 0
  expect((await look(id)).state).toBe('sent')
  agent.report({ kind: 'accepted', history_id: id, at: at() })
  await given.until(id, 'accepted')
  agent.report({ kind: 'started', history_id: id, at: at() })
  await given.until(id, 'running')
  agent.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: 'up 3 days\n' })
  agent.report({ kind: 'output', history_id: id, chunk: 2, stream: 'stderr', text: 'warning\n' })
  agent.report(result(id, { retcode: 3 }))
  expect((await answer).body).toMatchObject({
    id,
    state: 'done',
    retcode: 3,
    stdout: 'up 3 days\n',
    stderr: 'warning\n',
    execution_time: 0.5,
    username: 'ada',
  })
})

test('a queued run that was never announced is sent within seconds', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada, params, look } = given
  await agent.comeOnline()
  const answer = server.as(ada).call(sendCommand, { params, body: bash })
  const id = (await agent.nextCommand(0)).payload.history_id ?? 0
  // As a server leaves it when it is killed right after storing the run.
  await server.ctx.db
    .updateTable('agent_history')
    .set({
      state: 'queued',
      sent_at: null,
      time: new Date(server.clock.now().getTime() - 11_000).toISOString(),
    })
    .where('id', '=', id)
    .execute()
  expect((await agent.nextCommand(1)).payload.history_id).toBe(id)
  await expect.poll(async () => (await look(id)).state).toBe('sent')
  agent.report(result(id))
  expect((await answer).body).toMatchObject({ id, state: 'done' })
})

test('a command for an offline machine waits, and is delivered on reconnect', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada, params } = given
  const { body: waiting } = await server.as(ada).call(sendCommand, { params, body: bash })
  expect(waiting.state).toBe('queued')
  const pending = async () => (await server.as(ada).call(getAgent, { params })).body.pending_actions_count
  expect(await pending()).toBe(1)
  await agent.connect()
  expect((await agent.nextCommand(0)).payload.history_id).toBe(waiting.id)
  expect(await pending()).toBe(0)
})

test('a command for an offline machine waits until its expiry, no longer', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const run = await given.send({ expires_in: 60 })
  server.clock.advance(61)
  await expireRuns(server.ctx)
  expect(await given.look(run.id)).toMatchObject({ state: 'expired', finished_at: expect.any(String) })
  await given.agent.connect()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(1))
  expect(given.agent.frames.filter(({ type }) => type === 'command')).toEqual([])
})

test('a sent and unaccepted run is sent again with the same nonce', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const run = await given.send()
  const first = await agent.nextCommand(0)
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  const from = agent.frames.length
  await agent.connect()
  const second = await agent.nextCommand(from)
  expect(second.payload).toMatchObject({ history_id: run.id, nonce: first.payload.nonce })
})

test('repeated and unordered reports, and those of another machine, change nothing', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, url, site } = given
  using other = await TestAgent.enrol(server, url, site.id)
  await Promise.all([agent.connect(), other.connect()])
  const run = await given.send()
  const from = other.frames.length
  other.report(result(run.id))
  other.report({ kind: 'output', history_id: run.id, chunk: 1, stream: 'stdout', text: 'not mine' })
  await other.next((frame) => frame.type === 'ack' && frame.seq === 2, from)
  expect(await given.look(run.id)).toMatchObject({ state: 'sent', stdout: '' })
  agent.report({ kind: 'output', history_id: run.id, chunk: 1, stream: 'stdout', text: 'once ' })
  agent.report({ kind: 'output', history_id: run.id, chunk: 1, stream: 'stdout', text: 'once ' })
  agent.report({ kind: 'output', history_id: run.id, chunk: 2, stream: 'stdout', text: 'twice' })
  agent.report(result(run.id))
  agent.report({ kind: 'started', history_id: run.id, at: at() })
  const last = agent.report(result(run.id, { retcode: 9 }))
  await agent.next((frame) => frame.type === 'ack' && frame.seq === last, 0)
  expect(await given.look(run.id)).toMatchObject({
    state: 'done',
    retcode: 0,
    stdout: 'once twice',
    output_bytes: 10,
  })
})

test('output is stored once, capped at 1 MiB, with the cut counted and no character torn', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const run = await given.send()
  const text = 'ä'.repeat(100_000)
  for (let chunk = 1; chunk <= 8; chunk += 1) {
    agent.report({ kind: 'output', history_id: run.id, chunk, stream: 'stdout', text: `${text}x` })
  }
  agent.report(result(run.id, { output_cut_bytes: 1000 }))
  await given.until(run.id, 'done')
  const seen = await given.look(run.id)
  expect(seen.output_bytes).toBeLessThanOrEqual(OUTPUT_CAP_BYTES)
  expect(seen.output_bytes).toBeGreaterThan(OUTPUT_CAP_BYTES - 4)
  expect(seen.output_bytes + seen.output_cut_bytes).toBe(8 * 200_001 + 1000)
  expect(seen.stdout).not.toContain('\uFFFD')
})

test('output keeps every character, also the escape of a NUL as text; a NUL itself becomes visible', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const { id } = await given.send()
  const escapes = String.raw`const nul = "\u0000", more = "\\u0000", unit = "\ufffd"`
  agent.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: `${escapes}\n` })
  agent.report({ kind: 'output', history_id: id, chunk: 2, stream: 'stdout', text: `\0 and \\\0 ${escapes}` })
  agent.report(result(id))
  await given.until(id, 'done')
  expect((await given.look(id)).stdout).toBe(`${escapes}\n\uFFFD and \\\uFFFD ${escapes}`)
})

test('near the daily limit of a machine its runs store less, and beyond it never more', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const day = server.ctx.now().toISOString().slice(0, 10)
  await server.ctx.db
    .insertInto('output_days')
    .values({ agent_id: agent.agentId, day, bytes: DAILY_OUTPUT_CAP_BYTES })
    .execute()
  const limited = 32 * 1024
  const play = async (text: string) => {
    const from = agent.frames.length
    const { id } = await given.send()
    const { payload } = await agent.nextCommand(from)
    for (const chunk of [1, 2])
      agent.report({ kind: 'output', history_id: id, chunk, stream: 'stdout', text: text.repeat(5000) })
    agent.report(result(id))
    await given.until(id, 'done')
    const { stdout, output_cut_bytes } = await given.look(id)
    return { cap: payload.input, stdout, output_cut_bytes }
  }
  const note = '\n[Output limit for today reached]\n'
  expect(await play('123')).toEqual({
    cap: expect.objectContaining({ output_cap_bytes: limited }),
    stdout: '123'.repeat(10_000),
    output_cut_bytes: 0,
  })
  // An agent that sends more than it may.
  const { stdout, output_cut_bytes } = await play('12345')
  expect([stdout.length, stdout.endsWith(note)]).toEqual([limited + note.length, true])
  expect(output_cut_bytes).toBe(50_000 - limited)
  await server.ctx.db.updateTable('output_days').set({ day: '2026-01-01' }).execute()
  expect(await play('12345')).toEqual({
    cap: expect.objectContaining({ output_cap_bytes: OUTPUT_CAP_BYTES }),
    stdout: '12345'.repeat(10_000),
    output_cut_bytes: 0,
  })
})

test('an agent of any age is shown what it sent, and its count of left out bytes is never believed too much', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const output = (history_id: number, chunk: number, stream: 'stdout' | 'stderr', text: string) =>
    agent.report({ kind: 'output', history_id, chunk, stream, text })
  const play = async (cutBytes: number) => {
    const { id } = await given.send()
    output(id, 1, 'stdout', 'first\n')
    output(id, 2, 'stderr', 'bad\n')
    // Newer agents report the last part at the end.
    output(id, 3, 'stdout', '[2 MB left out here]\nlast\n')
    agent.report(result(id, { output_cut_bytes: cutBytes }))
    await given.until(id, 'done')
    return given.look(id)
  }
  const shown = { stdout: 'first\n[2 MB left out here]\nlast\n', stderr: 'bad\n' }
  expect(await play(2_000_000)).toMatchObject({ ...shown, output_cut_bytes: 2_000_000 })
  expect(await play(1.5)).toMatchObject({ ...shown, output_cut_bytes: 1 })
  const { output_cut_bytes } = await play(1e300)
  expect(Number.isSafeInteger(output_cut_bytes)).toBe(true)
})

test('a script runs with arguments and environment, and may save its output as a note', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada, params } = given
  await agent.connect()
  const script = await server.given.script({
    name: 'Clean up',
    shell: 'shell',
    script_body: 'echo "$1"',
    default_timeout: 77,
  })
  const { body: run } = await server.as(ada).call(runScript, {
    params,
    body: { script: script.id, args: ['a b', "it's"], env_vars: ['TOKEN=secret=1'], output: 'note' },
  })
  const { payload } = await agent.nextCommand(0)
  expect(payload.input).toMatchObject({
    interpreter: 'shell',
    body: 'echo "$1"',
    args: ['a b', "it's"],
    env_vars: ['TOKEN=secret=1'],
    timeout_seconds: 77,
  })
  agent.report({ kind: 'output', history_id: run.id, chunk: 1, stream: 'stdout', text: 'a b\n' })
  agent.report(result(run.id))
  await given.until(run.id, 'done')
  const { body: history } = await server.as(ada).call(listAgentHistory, { params, query: {} })
  expect(history).toMatchObject([
    { type: 'script_run', script_name: 'Clean up', args: ['a b', "it's"], retcode: 0 },
  ])
  const { body: notes } = await server.as(ada).call(listNotes, { params, query: {} })
  expect(notes).toMatchObject([{ username: 'ada', note: 'Clean up\n\na b' }])
})

test('secrets in the environment of a run are never readable in the database', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const run = await given.send({ env_vars: ['PASSWORD=hunter2hunter2'] })
  const rows = [
    ...(await server.ctx.db.selectFrom('agent_history').selectAll().execute()),
    ...(await server.ctx.db.selectFrom('audit_log').selectAll().execute()),
  ]
  expect(JSON.stringify(rows)).not.toContain('hunter2')
  await given.agent.connect()
  expect((await given.agent.nextCommand(0)).payload).toMatchObject({
    history_id: run.id,
    input: { env_vars: ['PASSWORD=hunter2hunter2'] },
  })
})

test('output is read from a chunk on', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada } = given
  await agent.connect()
  const run = await given.send()
  for (const chunk of [1, 2, 3]) {
    agent.report({ kind: 'output', history_id: run.id, chunk, stream: 'stdout', text: `line ${chunk}\n` })
  }
  await vi.waitFor(async () => expect((await given.look(run.id)).output_bytes).toBe(21))
  const { body } = await server
    .as(ada)
    .call(getHistoryOutput, { params: { id: run.id }, query: { after: 1 } })
  expect(body.chunks.map(({ seq }) => seq)).toEqual([2, 3])
})

test('a run as the signed-in user leaves the choice to the machine, and its history says so', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada, params } = given
  await agent.connect()
  const run = await given.send({ run_as_user: true })
  const { payload } = await agent.nextCommand(0)
  expect(payload.input).toMatchObject({ run_as_user: { signed_in: true } })
  expect(run.run_as_user).toBe('signed-in user')
  const script = await server.given.script({ run_as_user: 1 })
  const from = agent.frames.length
  const of = async (more: object) => {
    const body = { script: script.id, wait: false, ...more }
    return (await server.as(ada).call(runScript, { params, body })).body.run_as_user
  }
  expect([await of({}), await of({ run_as_user: false })]).toEqual(['signed-in user', null])
  expect((await agent.nextCommand(from)).payload.input).toMatchObject({ run_as_user: { signed_in: true } })
})

test('20 concurrent commands for one machine are each sent once', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const runs = await Promise.all(
    Array.from({ length: 20 }, (_, index) => given.send({ cmd: `echo ${index}` })),
  )
  await vi.waitFor(() => expect(agent.frames.filter(({ type }) => type === 'command')).toHaveLength(20))
  for (const run of runs) agent.report(result(run.id))
  await Promise.all(runs.map((run) => given.until(run.id, 'done')))
  expect(agent.frames.filter(({ type }) => type === 'command')).toHaveLength(20)
})

test('a shell or script of another platform is refused with a sentence', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { ada, params } = given
  const cmd = await server.as(ada).call(sendCommand, { params, body: { shell: 'cmd', cmd: 'ver' } })
  expect(cmd).toMatchObject({ status: 400, error: { code: 'invalid', fields: { shell: expect.anything() } } })
  const script = await server.given.script({ supported_platforms: '["windows"]' })
  const refused = await server.as(ada).call(runScript, { params, body: { script: script.id } })
  expect(refused).toMatchObject({ status: 400, error: { detail: expect.stringContaining('Linux') } })
})

test('the history of a machine of another client does not exist', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const run = await given.send()
  const own = await server.given.client()
  const bob = await server.given.user({
    permissions: ['can_list_agent_history', 'can_send_cmd'],
    clients: [own.id],
  })
  expect((await server.as(bob).call(getHistory, { params: { id: run.id } })).status).toBe(404)
  expect((await server.as(bob).call(cancelHistory, { params: { id: run.id } })).status).toBe(404)
  expect((await server.as(bob).call(sendCommand, { params: given.params, body: bash })).status).toBe(404)
})
