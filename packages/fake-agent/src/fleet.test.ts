import { MACHINE_CHECK_TYPES, CheckResult, type MachineCheckType } from '@muster/contract/agent/checks'
import { commandProof } from '@muster/contract/agent/commands'
import { AgentFacts } from '@muster/contract/agent/facts'
import { describe, expect, test, vi } from 'vitest'
import { makeFacts } from './facts.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { startTestServer, type TestServer } from './test-server.ts'

const OPTIONS = {
  env_vars: [],
  run_as_user: null,
  timeout_seconds: 10,
  output_cap_bytes: 1000,
}
const command = (cmd: string, more = {}) => ({ shell: 'bash', custom_shell: null, cmd, ...OPTIONS, ...more })

async function fleetOn(server: TestServer, options: Partial<FleetOptions> = {}): Promise<Fleet> {
  const fleet = await startFleet({ server: server.url, token: 'token'.repeat(5), count: 1, ...options })
  await fleet.waitForConnected()
  return fleet
}

function idOf(fleet: Fleet, index = 0): string {
  return fleet.machines[index]?.agentId ?? ''
}

const soon = { interval: 10 }

describe('a fleet', () => {
  test('enrols, signs in and reports facts that the contract accepts', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server, { count: 50 })
    await vi.waitFor(() => expect(server.reports).toHaveLength(50), soon)
    for (const { report } of server.reports) {
      if (report.kind !== 'facts') throw new Error('a first report brings facts')
      AgentFacts.parse(report.facts)
    }
    expect(new Set(fleet.machines.map((machine) => machine.hostname)).size).toBe(50)
    await vi.waitFor(
      () => expect(fleet.machines.every((machine) => machine.waitingReports === 0)).toBe(true),
      soon,
    )
  })

  test('with the same seed has the same machines', async () => {
    await using server = await startTestServer()
    const first = await fleetOn(server, { count: 3, seed: 7 })
    const ids = first.machines.map((machine) => machine.agentId)
    first.stop()
    using second = await fleetOn(server, { count: 3, seed: 7 })
    expect(second.machines.map((machine) => machine.agentId)).toEqual(ids)
    using other = await fleetOn(server, { count: 3, seed: 8 })
    expect(other.machines.map((machine) => machine.agentId)).not.toEqual(ids)
  })

  test('reconnects after the server dropped every link', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server, { count: 20 })
    for (const socket of server.sockets.values()) socket.terminate()
    await vi.waitFor(() => expect(fleet.counts.connected).toBe(0), soon)
    await fleet.waitForConnected()
    expect(fleet.counts.connects).toBe(40)
  })

  test('stores reports until they are acknowledged', async () => {
    await using server = await startTestServer()
    server.acknowledges = false
    using fleet = await fleetOn(server)
    await vi.waitFor(() => expect(server.reports).toHaveLength(1), soon)
    expect(fleet.machines[0]?.waitingReports).toBe(1)
    server.acknowledges = true
    fleet.machines[0]?.disconnect()
    fleet.machines[0]?.connect()
    await vi.waitFor(() => expect(fleet.machines[0]?.waitingReports).toBe(0), soon)
    expect(server.reports).toHaveLength(2)
  })

  test('sends heartbeats at the requested interval, over each link', async () => {
    await using server = await startTestServer()
    server.beatMs = 100
    using fleet = await fleetOn(server, { count: 3 })
    await vi.waitFor(() => expect(server.beats).toBeGreaterThan(9), soon)
    fleet.machines[0]?.disconnect()
    fleet.machines[0]?.connect()
    server.beats = 0
    await vi.waitFor(() => expect(server.beats).toBeGreaterThan(9), soon)
  })

  test('reports at the configured rate', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server, { count: 5, reportsPerSecond: 100 })
    const before = fleet.counts.reports
    const startedMs = performance.now()
    await vi.waitFor(() => expect(fleet.counts.reports - before).toBeGreaterThanOrEqual(50), soon)
    const elapsedMs = performance.now() - startedMs
    expect(elapsedMs).toBeGreaterThan(350)
  })

  test('reports why it could not enrol', async () => {
    await using server = await startTestServer()
    await expect(startFleet({ server: server.url, token: 'short', count: 2 })).rejects.toThrow(
      'failed to enrol machine 0: the server returned 400',
    )
  })

  test('in visit mode reports once and disconnects', async () => {
    await using server = await startTestServer()
    using fleet = await startFleet({ server: server.url, token: 'token'.repeat(5), count: 20, mode: 'visit' })
    expect(server.reports).toHaveLength(20)
    expect(fleet.counts).toMatchObject({ connected: 0, connects: 20 })
    fleet.machines[0]?.connect()
    await fleet.waitForConnected(1)
  })

  test('a machine that the server refuses stays disconnected', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.send(idOf(fleet), { type: 'refused', code: 'unknown_agent', message: 'Not known here.' })
    await vi.waitFor(() => expect(fleet.machines[0]?.state).toBe('refused'), soon)
    expect(fleet.counts).toMatchObject({ connected: 0, refusals: 1 })
    expect(fleet.describeTrouble()).toBe('Not known here.')
  })
})

describe('a command', () => {
  test('is accepted, started, answered and ended', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.sendCommand(idOf(fleet), { history_id: 4, input: command('echo hello; exit 3') })
    await vi.waitFor(
      () => expect(server.story(4)).toEqual(['accepted', 'started', 'output:hello\n', 'result:exited']),
      soon,
    )
    expect(server.reports.map(({ report }) => report)).toContainEqual(expect.objectContaining({ retcode: 3 }))
  })

  test('ends when it is cancelled', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.sendCommand(idOf(fleet), { history_id: 4, input: command('sleep 60') })
    await vi.waitFor(() => expect(server.story(4)).toEqual(['accepted', 'started']), soon)
    server.sendCommand(idOf(fleet), { history_id: null, name: 'cancel', input: { history_id: 4 } })
    await vi.waitFor(() => expect(server.story(4)).toContain('result:cancelled'), soon)
  })

  test('ends at its time limit', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.sendCommand(idOf(fleet), {
      history_id: 4,
      input: command('echo a; sleep 9; echo b', { timeout_seconds: 1 }),
    })
    await vi.waitFor(
      () => expect(server.story(4)).toEqual(['accepted', 'started', 'output:a\n', 'result:timed_out']),
      soon,
    )
  })

  test('has its output cut at the cap', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.sendCommand(idOf(fleet), {
      history_id: 4,
      input: command('echo 0123456789', { output_cap_bytes: 4 }),
    })
    await vi.waitFor(() => expect(server.story(4)).toContain('output:0123'), soon)
  })

  test.each([
    ['is expired', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['is addressed to another machine', { agent_id: 'somebodyelse' }],
  ])('is ignored when it %s', async (_why, payload) => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    server.sendCommand(idOf(fleet), { history_id: 4, input: command('true'), ...payload })
    await vi.waitFor(() => expect(fleet.counts.refusedCommands).toBe(1), soon)
    expect(server.story(4)).toEqual([])
  })

  test('is ignored with another signature', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    const signature = Buffer.alloc(64, commandProof('x')).toString('base64url')
    server.send(idOf(fleet), {
      type: 'command',
      command: { payload: '{}', signature, person_signature: null },
    })
    await vi.waitFor(() => expect(fleet.counts.refusedCommands).toBe(1), soon)
  })

  test('updates the agent: it downloads, reconnects with the new version and confirms it', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    const input = {
      version: '2.0.0',
      sha256: '0'.repeat(64),
      bytes: 1000,
      path: '/agent/versions/2.0.0/agent.mjs',
      node: 24,
      trial_seconds: 120,
      rollback: false,
    }
    server.sendCommand(idOf(fleet), { history_id: null, name: 'update-agent', input })
    const states = () =>
      server.reports.flatMap(({ report }) => (report.kind === 'update' ? [report.state] : []))
    await vi.waitFor(() => expect(states()).toContain('confirmed'), soon)
    expect(states().slice(0, 2)).toEqual(['downloading', 'installed'])
    expect(fleet.machines[0]?.version).toBe('2.0.0')
    expect(fleet.counts).toMatchObject({ connects: 2, connected: 1 })
  })

  test('runs once, even if it arrives again', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    const nonce = 'the-very-same-nonce'
    for (const _ of [1, 2, 3])
      server.sendCommand(idOf(fleet), { history_id: 4, nonce, input: command('true') })
    await vi.waitFor(() => expect(fleet.counts.commands).toBe(3), soon)
    expect(server.story(4)).toEqual(['accepted', 'started', 'result:exited'])
  })
})

test('generated facts differ between machines and stay the same for one', () => {
  const all = Array.from({ length: 500 }, (_, index) => makeFacts(1, index, 0))
  expect(new Set(all.map((facts) => facts.platform))).toEqual(new Set(['windows', 'linux', 'darwin']))
  expect(new Set(all.map((facts) => facts.serial_number)).size).toBe(500)
  expect(makeFacts(1, 17, 0)).toEqual(all[17])
  expect(makeFacts(2, 17, 0)).not.toEqual(all[17])
})

describe('checks', () => {
  const wanted = MACHINE_CHECK_TYPES.map((_, index) => ({ id: index + 1, revision: 'a' }))
  const settings: Record<MachineCheckType, unknown> = {
    diskspace: { disk: '/' },
    cpuload: {},
    memory: {},
    ping: { ip: '192.0.2.1' },
    service: { svc_name: 'cron', restart_if_stopped: false },
    script: { interpreter: 'shell', body: 'true', args: [], env_vars: [], timeout_seconds: 10 },
    process: { process_name: 'sshd' },
    file: { path: '/etc/hosts' },
    eventlog: {
      log_name: 'System',
      event_id: 0,
      event_id_is_wildcard: true,
      event_type: 'ERROR',
      event_source: null,
      event_message: null,
      search_last_days: 1,
    },
    journal: { unit: null, priority: 'err', event_message: null, search_last_minutes: 60 },
  }
  const put = MACHINE_CHECK_TYPES.map((check_type, index) => ({
    id: index + 1,
    revision: 'a',
    run_interval_seconds: 60,
    check_type,
    settings: settings[check_type],
  }))
  const send = (server: TestServer, agentId: string, input: unknown) =>
    server.sendCommand(agentId, { history_id: null, name: 'set-checks', input })
  const resultsOf = (server: TestServer) =>
    server.reports.flatMap(({ report }) => (report.kind === 'checks' ? report.results : []))

  test('that are missing are requested, and their version is reported at the next sign-in', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    expect(server.checksVersions.get(idOf(fleet))).toBe(0)
    send(server, idOf(fleet), { version: 3, wanted, put: [] })
    await vi.waitFor(
      () =>
        expect(server.reports.at(-1)?.report).toEqual({
          kind: 'checks-missing',
          version: 3,
          ids: wanted.map(({ id }) => id),
        }),
      soon,
    )
    send(server, idOf(fleet), { version: 3, wanted, put })
    send(server, idOf(fleet), { version: 2, wanted: [], put: [] })
    await vi.waitFor(() => expect(fleet.machines[0]?.checks.version).toBe(3), soon)
    fleet.machines[0]?.disconnect()
    fleet.machines[0]?.connect()
    await vi.waitFor(() => expect(server.checksVersions.get(idOf(fleet))).toBe(3), soon)
    expect(fleet.machines[0]?.checks.size).toBe(wanted.length)
  })

  test('are reported at the configured rate, in results that the contract accepts', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server, { count: 4, checkResultsPerSecond: 400, checkResultsPerReport: 5 })
    for (const { agentId } of fleet.machines.slice(1)) send(server, agentId, { version: 1, wanted, put })
    await vi.waitFor(() => expect(resultsOf(server).length).toBeGreaterThan(200), soon)
    const found = resultsOf(server).map((result) => CheckResult.parse(result))
    expect(new Set(found.map(({ measured }) => measured.check_type))).toEqual(new Set(MACHINE_CHECK_TYPES))
    expect(
      server.reports.some(({ agentId, report }) => agentId === idOf(fleet) && report.kind === 'checks'),
    ).toBe(false)
    expect(fleet.counts.checkResults).toBeGreaterThanOrEqual(found.length)
  })

  test('run on request', async () => {
    await using server = await startTestServer()
    using fleet = await fleetOn(server)
    send(server, idOf(fleet), { version: 1, wanted, put })
    server.sendCommand(idOf(fleet), { history_id: null, name: 'run-checks', input: { ids: [2, 3, 99] } })
    await vi.waitFor(() => expect(resultsOf(server).map(({ check_id }) => check_id)).toEqual([2, 3]), soon)
  })
})
