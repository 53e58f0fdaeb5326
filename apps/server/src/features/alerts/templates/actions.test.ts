import { getAlert } from '@muster/contract/api/alerts'
import { listAgentHistory } from '@muster/contract/api/runs'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../platform/database/test-engines.ts'
import type { Database } from '../../../platform/database/database.ts'
import { openTestReceiver } from '../channels/test-receiver.ts'
import { expireRuns } from '../../runs/fail-lost-runs.ts'
import { storeRunReports } from '../../runs/store-run-reports.ts'
import { runAction } from './run-action.ts'
import { endFinishedActions } from './end-finished-actions.ts'
import { prepareTemplates } from './test-templates.ts'

/** A machine whose template runs one script when an alert opens, and another one when it resolves. */
async function prepare(database?: Parameters<typeof prepareTemplates>[0]) {
  const bench = await prepareTemplates(database)
  const { ctx, machine, caller } = bench
  const failure = await bench.script('Clean up')
  const resolved = await bench.script('All is well')
  const { id } = await bench.template({
    action_type: 'script',
    action: failure.id,
    action_args: ['--all'],
    resolved_action_type: 'script',
    resolved_action: resolved.id,
  })
  await ctx.db.updateTable('agents').set({ alert_template_id: id }).execute()
  return {
    ...bench,
    templateId: id,
    history: async () =>
      (await caller.call(listAgentHistory, { params: { agent_id: machine.agent_id } })).body,
    /** A run is sent to its machine. */
    take: (historyId: number) =>
      ctx.db.updateTable('agent_history').set({ state: 'sent' }).where('id', '=', historyId).execute(),
    /** The machine reports the end of a run. */
    end: async (
      historyId: number,
      { retcode = 0, ...output }: { retcode?: number; stdout?: string; stderr?: string } = {},
    ) => {
      const runs = await ctx.transaction(async (tx) => {
        const at = ctx.now().toISOString()
        const agentId = machine.agent_id
        const base = { history_id: historyId, at }
        const reports = [
          { kind: 'accepted' as const, ...base },
          { kind: 'started' as const, ...base },
          ...(['stdout', 'stderr'] as const).map((stream, index) => ({
            kind: 'output' as const,
            history_id: historyId,
            chunk: index + 1,
            stream,
            text: output[stream] ?? '',
          })),
          {
            kind: 'result' as const,
            ...base,
            outcome: 'exited' as const,
            reason: null,
            retcode,
            execution_time: 0.25,
            output_cut_bytes: 0,
          },
        ].map((report) => ({ agentId, report }))
        await tx
          .updateTable('agent_history')
          .set({ state: 'sent' })
          .where('id', '=', historyId)
          .where('state', '=', 'queued')
          .execute()
        return storeRunReports(tx, reports, ctx.now())
      })
      await endFinishedActions(ctx, runs)
    },
    alertOf: async () => {
      const [row] = await bench.alerts()
      return (await caller.call(getAlert, { params: { id: row?.id ?? 0 } })).body
    },
  }
}

describe.each(testEngines)('on $engine', ({ open }) => {
  test('spec, templates: a script runs once when an alert opens, and another once when it resolves', async () => {
    await using database = await open<Database>()
    await using bench = await prepare(database)
    const { ctx, check, go, report, history, take, end, alertOf } = bench
    go(60)
    await report(check, [20, 80])
    await report(check, [40, 95])
    await ctx.jobs.drain()
    await ctx.jobs.drain()
    expect(await history()).toMatchObject([
      { command: 'Clean up', args: ['--all'], username: 'server', state: 'queued' },
    ])
    const [run] = await history()
    await take(run?.id ?? 0)
    go(70)
    await report(check, [65, 10])
    await ctx.jobs.drain()
    // The second one waits for the end of the first.
    expect(await history()).toHaveLength(1)
    await end(run?.id ?? 0, { stdout: '3 files removed\n' })
    await ctx.jobs.drain()
    const runs = await history()
    expect(runs.map(({ command }) => command)).toEqual(['All is well', 'Clean up'])
    await end(runs[0]?.id ?? 0, { retcode: 7 })
    await ctx.jobs.drain()
    expect(await history()).toHaveLength(2)
    const alert = await alertOf()
    expect(alert.actions).toMatchObject([
      { kind: 'failure', name: 'Clean up', state: 'done', retcode: 0, output: '3 files removed\n' },
      { kind: 'resolved', name: 'All is well', state: 'failed', retcode: 7, execution_time: 0.25 },
    ])
    expect((await bench.logText(alert.id)).filter((line) => line.startsWith('action_'))).toEqual([
      'action_started: Failure action "Clean up": sent to PC-1 by the template "Night".',
      'action_done: Failure action "Clean up": succeeded after 0.3 s: 3 files removed',
      'action_started: Resolved action "All is well": sent to PC-1 by the template "Night".',
      'action_failed: Resolved action "All is well": exited with 7 after 0.3 s, without output.',
    ])
    const audited = await ctx.db
      .selectFrom('audit_log')
      .select(['username', 'message'])
      .where('action', '=', 'execute_script')
      .execute()
    expect(audited[0]).toEqual({
      username: 'server',
      message: expect.stringMatching(/^Ran the script "Clean up" on "PC-1" for the alert "CPU load/),
    })
  })

  test('maintenance runs nothing, and a remaining problem runs its script once afterwards', async () => {
    await using database = await open<Database>()
    await using bench = await prepare(database)
    const { ctx, check, machine, go, report, history, setAgent, sweep } = bench
    await setAgent(machine.agent_id, { maintenance_mode: 1 })
    go(60)
    await report(check, [20, 95])
    await ctx.jobs.drain()
    expect(await history()).toEqual([])
    await setAgent(machine.agent_id, { maintenance_mode: 0 })
    go(120)
    await sweep()
    await report(check, [130, 95])
    go(140)
    await sweep()
    await ctx.jobs.drain()
    expect((await history()).map(({ command }) => command)).toEqual(['Clean up'])
  })

  test('a script that waits for its machine is cancelled when the alert resolves, and never runs', async () => {
    await using database = await open<Database>()
    await using bench = await prepare(database)
    const { ctx, check, machine, go, report, history, end, setAgent, alertOf } = bench
    go(60)
    await setAgent(machine.agent_id, { connected: 0 })
    await report(check, [20, 95])
    await ctx.jobs.drain()
    const [run] = await history()
    go(70)
    await report(check, [65, 10])
    await ctx.jobs.drain()
    const off = 'Cancelled: the alert resolved before it started.'
    expect((await alertOf()).actions).toMatchObject([
      { kind: 'failure', state: 'called_off', retcode: null, output: off, history_id: run?.id },
      { kind: 'resolved', state: 'running' },
    ])
    const runs = await history()
    expect(runs.map(({ command, state }) => [command, state])).toEqual([
      ['All is well', 'queued'],
      ['Clean up', 'cancelled'],
    ])
    expect(runs[1]?.reason).toBe('Cancelled: its alert resolved before the machine reconnected.')
    expect(await bench.logText((await alertOf()).id)).toContain(
      `action_called_off: Failure action "Clean up": ${off}`,
    )
    // Later reports and repeated requests change nothing.
    await end(run?.id ?? 0)
    await runAction(ctx, { deliver: async () => true }, { id: 1, signal: AbortSignal.timeout(60_000) })
    await ctx.jobs.drain()
    expect(await history()).toHaveLength(2)
    expect((await alertOf()).actions[0]).toMatchObject({ state: 'called_off' })
  })

  test('a script that the server has not started is cancelled too, and a reconnecting machine is not disturbed', async () => {
    await using database = await open<Database>()
    await using bench = await prepare(database)
    const { ctx, check, go, report, history, alertOf } = bench
    go(60)
    await report(check, [20, 95])
    go(70)
    await report(check, [65, 10])
    await ctx.jobs.drain()
    await ctx.jobs.drain()
    expect((await history()).map(({ command }) => command)).toEqual(['All is well'])
    expect((await alertOf()).actions).toMatchObject([{ state: 'called_off' }, { state: 'running' }])
  })

  test('a machine that is offline for 15 minutes does not run it, and the alert says so', async () => {
    await using database = await open<Database>()
    await using bench = await prepare(database)
    const { ctx, check, machine, go, report, setAgent, alertOf } = bench
    go(60)
    await setAgent(machine.agent_id, { connected: 0 })
    await report(check, [20, 95])
    await ctx.jobs.drain()
    expect((await alertOf()).actions).toMatchObject([{ state: 'running' }])
    go(60 + 15 * 60 + 1)
    await expireRuns(ctx)
    await ctx.jobs.drain()
    expect((await alertOf()).actions).toMatchObject([
      { state: 'failed', retcode: null, output: 'The machine did not connect before the run expired.' },
    ])
  })
})

test('an alert that opened and resolved at once runs nothing, nor does one without a template', async () => {
  await using bench = await prepare()
  const { ctx, check, go, report, actions } = bench
  go(60)
  await report(check, [20, 95], [40, 10])
  await ctx.db.updateTable('agents').set({ alert_template_id: null }).execute()
  await report(check, [50, 95])
  await ctx.jobs.drain()
  expect(await actions()).toEqual([])
})

test('an alert keeps the first and the last part of the output of its script', async () => {
  await using bench = await prepare()
  const { ctx, check, go, report, history, end, alertOf } = bench
  go(60)
  await report(check, [20, 95])
  await ctx.jobs.drain()
  const [run] = await history()
  const stdout = `begin\n${'x'.repeat(300_000)}\nend\n`
  await end(run?.id ?? 0, { retcode: 3, stdout, stderr: 'FATAL: disk /dev/sdb failed\n' })
  const alert = await alertOf()
  const output = alert.actions[0]?.output ?? ''
  expect(output.length).toBeLessThanOrEqual(4000)
  const leftOut = String.raw`\n\[[\d,]+ characters left out here\]\n`
  expect(output).toMatch(new RegExp(`^begin\\nx+${leftOut}x+\\nend\\nFATAL: disk /dev/sdb failed\\n$`))
  const lines = await bench.logText(alert.id)
  expect(lines.find((line) => line.startsWith('action_failed'))).toMatch(
    /exited with 3 after 0\.3 s: begin\n.*left out here.*FATAL: disk \/dev\/sdb failed$/s,
  )
})

test('an unsupported and a deleted script are reported', async () => {
  await using bench = await prepare()
  const { ctx, check, go, report, alertOf } = bench
  await ctx.db.updateTable('scripts').set({ supported_platforms: '["windows"]' }).execute()
  go(60)
  await report(check, [20, 95])
  await ctx.jobs.drain()
  expect((await alertOf()).actions).toMatchObject([
    { state: 'failed', output: 'Clean up does not support Linux. Choose another script.' },
  ])
})

test('a webhook is signed, sent once, and retried while it is unreachable', async () => {
  await using receiver = await openTestReceiver()
  await using bench = await prepareTemplates()
  const { ctx, check, go, report, server } = bench
  const { id } = await bench.template({
    action_type: 'rest',
    action_rest: { url: receiver.url, method: 'POST', headers: [], secret: 's', body_template: '' },
  })
  await ctx.db.updateTable('agents').set({ alert_template_id: id }).execute()
  receiver.answer = { status: 500 }
  go(60)
  await report(check, [20, 95])
  await ctx.jobs.drain()
  expect(receiver.requests).toHaveLength(1)
  receiver.answer = { status: 200, body: 'thanks' }
  server.clock.advance(11)
  await ctx.jobs.drain()
  await ctx.jobs.drain()
  expect(receiver.requests).toHaveLength(2)
  const deliveries = receiver.requests.map(({ headers }) => headers['muster-delivery'])
  expect(new Set(deliveries).size).toBe(1)
  expect(receiver.requests[1]?.headers['muster-signature']).toMatch(/^t=\d+,v1=/)
  const [action] = await bench.actions()
  expect(action).toMatchObject({ state: 'done', retcode: 200, output: '200 OK', work: '' })
})
