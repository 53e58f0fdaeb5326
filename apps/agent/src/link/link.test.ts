import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { MAX_FRAME_BYTES } from '@muster/contract/agent/link'
import { givenAgent, type GivenAgent } from '../testing/given.ts'
import { isAlive } from '../testing/is-alive.ts'
import { shellInput, TestServer } from '../testing/test-server.ts'
import { reconnectDelayMs } from './link.ts'

const REFUSED = [/^command refused$/]

/** Commands that would create a file if they ran. */
function trap({ server, folder }: GivenAgent) {
  const file = join(folder, randomUUID())
  const sign = (more: Parameters<TestServer['sign']>[2]) =>
    server.sign('run-command', shellInput(`echo ran >> ${file}`), more)
  return { sign, runs: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0) }
}

test('the agent signs in with version, time and its active runs', async () => {
  const { server } = await givenAgent()
  expect(server.answers[0]).toMatchObject({ protocols: [1], agent_version: '0.1.0', active: [] })
})

test('a command that is not signed by the pinned key, expired, or for another agent does not run', async () => {
  const given = await givenAgent({ expectedWarnings: REFUSED })
  const { server } = given
  const { sign, runs } = trap(given)
  const past = new Date(Date.now() - 1000).toISOString()
  server.command(sign({ payload: { history_id: 1 }, key: generateKeyPairSync('ed25519').privateKey }))
  server.command(
    sign({ payload: { history_id: 2, issued_at: '2020-01-01T00:00:00.000Z', expires_at: past } }),
  )
  server.command(sign({ payload: { history_id: 3, agent_id: 'another-agent' } }))
  server.command(sign({ payload: { history_id: 4, input: { cmd: 'x' } } }))
  for (const [id, reason] of [
    [1, 'not signed'],
    [2, 'expired'],
    [3, 'another machine'],
    [4, 'refused the command'],
  ] as const) {
    await expect(server.result(id)).resolves.toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining(reason),
    })
  }
  expect(runs()).toBe(0)
})

test('a command that is delivered again runs once and is answered, also after a restart', async () => {
  const given = await givenAgent({ expectedWarnings: REFUSED })
  const { server } = given
  const { sign, runs } = trap(given)
  const command = sign({ payload: { history_id: 1 } })
  server.command(command)
  await server.result(1)
  server.frames.length = 0
  server.command(command)
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 0 })
  await given.restart()
  server.frames.length = 0
  server.command(command)
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(runs()).toBe(1)
})

test('a nonce is used up whatever the command around it says', async () => {
  const given = await givenAgent({ expectedWarnings: [/ignored a repeated command/] })
  const { server } = given
  const { sign, runs } = trap(given)
  const nonce = randomUUID()
  server.command(sign({ payload: { history_id: 1, nonce } }))
  await server.result(1)
  server.command(sign({ payload: { history_id: 2, nonce } }))
  await server.until(() => server.frames.some((frame) => frame.type === 'error' && frame.code === 'repeated'))
  expect(runs()).toBe(1)
})

test('the same row number with a new nonce is new work', async () => {
  const given = await givenAgent()
  const { server } = given
  const { sign, runs } = trap(given)
  for (const count of [1, 2]) {
    server.frames.length = 0
    server.command(sign({ payload: { history_id: 1 } }))
    await server.result(1)
    expect(runs()).toBe(count)
  }
})

test('garbage, half frames and unknown types are answered and do not end the link', async () => {
  const { server, lines } = await givenAgent({
    expectedWarnings: [/invalid frame from the server/, /server rejected a frame/],
  })
  const errors = () => server.frames.filter((frame) => frame.type === 'error').map(({ code }) => code)
  for (const text of [
    'garbage',
    '{"type":"comm',
    '[]',
    '{}',
    'null',
    '{"type":"ack"}',
    '{"type":"command","command":{}}',
  ]) {
    server.sendRaw(text)
  }
  server.send({ type: 'dance' })
  server.sendRaw(Buffer.from([0, 1, 2, 255]))
  server.send({ type: 'error', code: 'unreadable', message: 'x' })
  server.send({ type: 'ack', seq: 0, unknown_field: { deep: [1] } })
  server.runShell(1, 'echo still here')
  await server.result(1)
  expect(errors()).toEqual([...Array.from({ length: 7 }, () => 'unreadable'), 'unknown_type'])
  expect(server.links).toBe(1)
  expect(lines.some(({ message }) => message === 'link lost')).toBe(false)
})

test('a frame over the limit is refused and the link stays', async () => {
  const { server } = await givenAgent({ expectedWarnings: [/invalid frame from the server/] })
  server.send({ type: 'error', code: 'unreadable', message: 'x'.repeat(MAX_FRAME_BYTES) })
  await server.until(() =>
    server.frames.some((frame) => frame.type === 'error' && frame.code === 'too_large'),
  )
  server.runShell(1, 'true')
  await server.result(1)
  expect(server.links).toBe(1)
})

test('the agent disconnects from a server that sends only garbage', async () => {
  const { server } = await givenAgent({ expectedWarnings: [/invalid frame from the server/] })
  const again = server.untilUp()
  for (let count = 0; count < 200; count += 1) server.sendRaw('garbage')
  await again
})

test('a broken frame ends the connection, and the link reconnects', async () => {
  const { server } = await givenAgent()
  const again = server.untilUp()
  // Bytes that are no WebSocket frame, written past the library.
  const raw = (server.socket as unknown as { _socket: NodeJS.WritableStream })._socket // ws keeps its socket there.
  raw.write(Buffer.from([0xff, 0xff, 0x00, 0x12]))
  await again
})

test('a silent server is detected within seconds', async () => {
  const { server, lines } = await givenAgent()
  const again = server.untilUp()
  server.pause()
  await again
  expect(lines.find(({ message }) => message === 'link lost')).toMatchObject({
    reason: 'the server stopped responding',
  })
})

test("the agent sends heartbeats at the server's interval, over each link", async () => {
  const { server } = await givenAgent()
  expect(server.answers[0]).toMatchObject({ beats: true })
  server.beatMs = 100
  for (const links of [2, 3]) {
    server.socket?.terminate()
    await server.untilUp(links)
    server.beats = 0
    await server.until(() => server.beats >= 3)
  }
})

test('runs continue without the link, and their reports arrive with the next one', async () => {
  const { server, port } = await givenAgent()
  server.runShell(1, 'echo before; sleep 1; echo after; exit 5')
  await server.until(() => server.outputOf(1) === 'before\n')
  await server[Symbol.asyncDispose]()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await using second = server.successor()
  await second.listen(port)
  await expect(second.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 5 })
  const { active, last_report } = second.answers[0] ?? {}
  expect(active).toEqual([1])
  // Output and result waited: the server gets the number of the last report.
  const reported = second.frames.filter((frame) => frame.type === 'report')
  const result = reported.find(({ report }) => report.kind === 'result')
  expect(last_report).toBeGreaterThanOrEqual(result?.seq ?? Infinity)
  expect(second.outputOf(1)).toBe('after\n')
})

test('reports are sent again until they are acknowledged', async () => {
  const { server, agent } = await givenAgent()
  const reconnect = async () => {
    server.frames.length = 0
    const again = server.untilUp()
    server.socket?.terminate()
    await again
    return server.answers.at(-1)?.active
  }
  server.acknowledges = false
  server.runShell(1, 'echo once')
  await server.result(1)
  await expect(reconnect()).resolves.toEqual([1])
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited' })
  server.acknowledges = true
  await expect(reconnect()).resolves.toEqual([1])
  await server.until(() => agent.outbox.bytes === 0)
  await expect(reconnect()).resolves.toEqual([])
})

test('a backlog waits on the machine while the server acknowledges nothing, and arrives completely afterwards', async () => {
  const { server } = await givenAgent({ expectedWarnings: [/invalid frame from the server/] })
  const outputBytes = () =>
    server.frames.reduce(
      (sum, frame) =>
        frame.type === 'report' && frame.report.kind === 'output' ? sum + frame.report.text.length : sum,
      0,
    )
  server.acknowledges = false
  server.runShell(1, "head -c 900000 /dev/zero | tr '\\0' x")
  await server.until(() => outputBytes() > 200_000)
  // Two acknowledgements: reports in flight arrived with the first one.
  for (const answers of [1, 2]) {
    server.send({ type: 'dance' })
    await server.until(() => server.frames.filter(({ type }) => type === 'error').length === answers)
  }
  expect(outputBytes()).toBeLessThan(350_000)
  server.acknowledges = true
  server.send({ type: 'ack', seq: Number.MAX_SAFE_INTEGER })
  const { output_cut_bytes } = await server.result(1)
  expect([outputBytes(), output_cut_bytes]).toEqual([900_000, 0])
})

test('a run that a restart of the agent interrupted is reported as failed and leaves nothing behind', async () => {
  const given = await givenAgent()
  const { server, folder } = given
  server.runShell(1, `echo $$ > ${folder}/pid; sleep 300`)
  await server.until(
    () => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '',
  )
  await given.restart()
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/agent/),
  })
  expect(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false)
})

test('a refused agent keeps trying and logs the reason', async () => {
  const { server, lines } = await givenAgent({ expectedWarnings: [/server rejected this agent/] })
  server.agents.clear()
  server.socket?.terminate()
  await server.until(() => lines.some(({ message }) => message === 'server rejected this agent'))
  expect(lines.find(({ message }) => message === 'server rejected this agent')).toMatchObject({
    code: 'unknown_agent',
  })
})

test('the agent disconnects from a server without a common protocol version', async () => {
  const { server, lines } = await givenAgent({ expectedWarnings: [/no common protocol version/] })
  server.protocols = [7]
  server.socket?.terminate()
  await server.until(() => lines.some(({ message }) => message === 'no common protocol version'))
})

test('a wrong clock is reported, and explains the refusal', async () => {
  const ahead = 3 * 3600 * 1000
  const { server } = await givenAgent({ expectedWarnings: REFUSED, agent: { now: () => Date.now() + ahead } })
  const problems = () =>
    server.reports.flatMap((report) => (report.kind === 'facts' ? (report.facts.problems ?? []) : []))
  await server.until(() => problems().includes("The clock of this machine is 3 hours ahead of the server's."))
  server.runShell(1, 'true')
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'refused',
    reason: expect.stringMatching(/it expired at .* 3 hours ahead of the server's\.$/),
  })
})

test('a stopping server sets the range of the wait, until the next sign-in', async () => {
  const { server, lines } = await givenAgent()
  const waits = () => lines.flatMap(({ message, retry_ms }) => (message === 'link lost' ? [retry_ms] : []))
  using random = vi.spyOn(Math, 'random').mockReturnValue(0.99)
  server.send({ type: 'stopping', retry_within_ms: 2000 })
  server.socket?.close(1001)
  await server.untilUp(2)
  random.mockReturnValue(0.5)
  server.socket?.terminate()
  await server.untilUp(3)
  expect(waits()[0]).toBe(1980)
  expect(waits()[1]).toBeLessThanOrEqual(500)
})

test('the wait before the next try grows, is random and stays below half a minute', () => {
  expect([0, 1, 2, 3, 20].map((attempt) => reconnectDelayMs(attempt, 1, 0))).toEqual([
    500, 1000, 2000, 4000, 30_000,
  ])
  expect([0, 1, 2, 3, 20].map((attempt) => reconnectDelayMs(attempt, 1, 3000))).toEqual([
    3000, 3000, 3000, 4000, 30_000,
  ])
  expect(reconnectDelayMs(5, 0.5, 0)).toBe(8000)
  expect(reconnectDelayMs(5, 0, 0)).toBe(100)
})
