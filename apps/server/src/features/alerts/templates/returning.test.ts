import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { changeAlerts, getAlert } from '@muster/contract/api/alerts'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { at, result, startRuns } from '../../runs/test-run.ts'

// A script of an alert is sent, and its arrival is unknown: the server was killed or the link was lost before the
// machine confirmed it. It runs only if the alert is still open when the machine reconnects.

async function prepare() {
  const server = await createTestServer()
  const runs = await startRuns(server)
  const { agent, ada } = runs
  const { ctx, given } = server
  const caller = server.as(ada)
  const { id: action } = await given.script({ name: 'Clean up' })
  const { body: template } = await caller.call(createAlertTemplate, {
    body: { name: 'Night', action_type: 'script', action },
  })
  await caller.call(setDefaultTemplate, { body: { alert_template: template.id } })
  const check = await given.check({
    agent_id: agent.agentId,
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
    revision: 'cpu.1',
  })
  const row = async () =>
    ctx.db.selectFrom('agent_history').selectAll().where('script_id', '=', action).executeTakeFirst()
  const scriptsFrom = (from: number) =>
    agent.frames
      .slice(from)
      .flatMap((frame) => (frame.type === 'command' ? [frame.command.payload] : []))
      .filter((payload) => payload.includes('run-script'))
  const measured = (percent: number) =>
    agent.report({
      kind: 'checks',
      results: [
        { check_id: check.id, revision: 'cpu.1', at: at(), measured: { check_type: 'cpuload', percent } },
      ],
    })
  await agent.connect()
  measured(95)
  await vi.waitFor(async () => {
    await ctx.jobs.drain()
    expect(scriptsFrom(0)).toHaveLength(1)
  })
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  expect((await row())?.state).toBe('sent')
  // Later than the message by any clock.
  server.clock.advance(1)
  const { id: alertId } = await ctx.db.selectFrom('alerts').select('id').executeTakeFirstOrThrow()
  return {
    server,
    ctx,
    agent,
    runs,
    caller,
    alertId,
    row,
    scriptsFrom,
    measured,
    actions: async () => (await caller.call(getAlert, { params: { id: alertId } })).body.actions,
    /** Waits until a later message of the server has arrived. */
    untilNext: async (from: number) => {
      const { id } = await runs.send()
      await agent.next((frame) => frame.type === 'command' && frame.command.payload.includes(`:${id},`), from)
    },
    async [Symbol.asyncDispose]() {
      runs[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a script that did not arrive is cancelled if its alert resolves while the machine is offline', async () => {
  await using bench = await prepare()
  const { agent, caller, alertId } = bench
  await caller.call(changeAlerts, { body: { bulk_action: 'resolve', alerts: [alertId] } })
  // It may have arrived.
  expect(await bench.actions()).toMatchObject([{ state: 'running' }])
  const from = agent.frames.length
  await agent.connect()
  await vi.waitFor(async () => expect(await bench.actions()).toMatchObject([{ state: 'called_off' }]))
  await bench.untilNext(from)
  expect(bench.scriptsFrom(from)).toEqual([])
  expect(await bench.row()).toMatchObject({ state: 'cancelled', command_input: '' })
})

test('a reconnecting machine first reports its state, and scripts of resolved alerts are cancelled', async () => {
  await using bench = await prepare()
  const { agent } = bench
  const from = agent.frames.length
  await agent.connect({ lastReport: 2 })
  await bench.untilNext(from)
  expect(bench.scriptsFrom(from)).toEqual([])
  bench.measured(10)
  await vi.waitFor(async () => expect(await bench.actions()).toMatchObject([{ state: 'called_off' }]))
  await bench.untilNext(agent.frames.length)
  expect(bench.scriptsFrom(from)).toEqual([])
})

test('a script of a still open alert is sent with the same nonce', async () => {
  await using bench = await prepare()
  const { agent } = bench
  const from = agent.frames.length
  const nonce = (await bench.row())?.nonce ?? 'none'
  await agent.connect({ lastReport: 2 })
  bench.measured(96)
  await vi.waitFor(() => expect(bench.scriptsFrom(from)).toHaveLength(1))
  expect(bench.scriptsFrom(from)[0]).toContain(nonce)
  expect(await bench.row()).toMatchObject({ state: 'sent' })
})

test('a script that the machine has started continues and is reported, though its alert resolved', async () => {
  await using bench = await prepare()
  const { agent, caller, alertId } = bench
  await caller.call(changeAlerts, { body: { bulk_action: 'resolve', alerts: [alertId] } })
  const run = await bench.row()
  await agent.connect({ lastReport: 2, active: [run?.id ?? 0] })
  agent.report(result(run?.id ?? 0))
  await vi.waitFor(async () => expect(await bench.actions()).toMatchObject([{ state: 'done', retcode: 0 }]))
})
