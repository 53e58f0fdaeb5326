import { CommandPayload } from '@muster/contract/agent/commands'
import type { Report, ServerFrame } from '@muster/contract/agent/link'
import { listAgentPendingActions } from '@muster/contract/api/pending-actions'
import type { PatchPolicy } from '@muster/contract/policies/patch-policy'
import { expect, test } from 'vitest'
import { TestAgent } from '../../agents/test-agent.ts'
import { patchOf } from '../test-patches.ts'
import { ALL, DAILY, everywhere, patching, preparePatching } from './test-patch-policies.ts'

const REBOOT = {
  when: 'nobody',
  only_if_needed: true,
  message: 'Updates are installed.',
  delay_minutes: 15,
  postponements: 4,
  postpone_minutes: 60,
  deadline_hours: 2,
} as const satisfies PatchPolicy['reboot']

const MINUTE = 60

/** A connected machine at the time of an installation, controlled by the test. */
async function prepare(parts: Partial<PatchPolicy>) {
  const fleet = await preparePatching()
  const { server, site, add, report, tick, ctx, asAda } = fleet
  const { url } = await server.listen()
  const agent = await TestAgent.enrol(server, url, site.id, { hostname: 'SRV-9' })
  const machine = { agent_id: agent.agentId }
  await agent.connect()
  await add({
    name: 'Nightly',
    content: patching({ approval: ALL, schedule: DAILY, ...parts }),
    targets: everywhere,
  })
  await report(machine, [patchOf('openssl', { needs_reboot: true })])
  await tick()
  server.clock.freeze('2026-11-26T03:00:00.000Z')
  let seen = agent.frames.length
  /** The next command, other than a request for facts. */
  const nextCommand = async (from: number) => {
    const isMeant = (frame: ServerFrame) =>
      frame.type === 'command' && !frame.command.payload.includes('"report-facts"')
    const frame = await agent.next(isMeant, from)
    if (frame.type !== 'command') throw new Error('no command')
    return CommandPayload.parse(JSON.parse(frame.command.payload))
  }
  /** The next command, which is a run; ends it. */
  const endRun = async (retcode = 0, reason: string | null = null) => {
    const payload = await nextCommand(seen)
    seen = agent.frames.length
    const at = ctx.now().toISOString()
    const result: Report = {
      kind: 'result',
      history_id: payload.history_id ?? 0,
      at,
      outcome: reason === null ? 'exited' : 'failed',
      reason,
      retcode: reason === null ? retcode : null,
      execution_time: 1,
      output_cut_bytes: 0,
    }
    const seq = agent.report(result)
    await agent.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
    return payload
  }
  /** Runs the timed function while the machine answers the request that it makes. */
  const tickAnswering = async (answer: object) => {
    seen = agent.frames.length
    const done = tick()
    const payload = await nextCommand(seen)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
    await done
    return payload
  }
  return {
    ...fleet,
    agent,
    endRun,
    tickAnswering,
    /** Runs the timed function, after which the machine has got no command. */
    quietTick: async () => {
      const before = agent.frames.length
      await tick()
      expect(agent.frames.slice(before).filter(({ type }) => type === 'command')).toEqual([])
    },
    skip: () => (seen = agent.frames.length),
    last: async () => (await fleet.view(machine)).last,
    pending: async () =>
      (await (await asAda()).call(listAgentPendingActions, { params: machine, query: {} })).body,
    [Symbol.asyncDispose]: async () => {
      agent.cut()
      await fleet[Symbol.asyncDispose]()
    },
  }
}

test('scripts run before and after, and the machine restarts only while nobody is signed in', async () => {
  await using given = await prepare({ reboot: REBOOT })
  const { server, ctx, tick, endRun, tickAnswering, quietTick, skip, last, agent } = given
  const [before, after] = [
    await server.given.script({ name: 'Snapshot', script_body: 'echo snapshot' }),
    await server.given.script({ name: 'Report', script_body: 'echo report' }),
  ]
  const scripts = { before: before.id, after: after.id, timeout: 60 }
  await given.add({ name: 'Scripts', content: patching({ scripts }), targets: everywhere })
  skip()
  await tick()
  expect(await endRun()).toMatchObject({
    name: 'run-script',
    input: { body: 'echo snapshot' },
    author: 'server',
  })
  await tick()
  expect(await endRun()).toMatchObject({ name: 'install-patches', input: { guids: ['openssl'] } })
  await tick()
  expect(await endRun(1)).toMatchObject({ name: 'run-script', input: { body: 'echo report' } })
  await tick()
  const reason = 'The script after the installation failed: It ended with exit code 1.'
  expect(await last()).toMatchObject({ step: 'reboot', state: 'running', reason })
  await agent.next((frame) => frame.type === 'command' && frame.command.payload.includes('report-facts'), 0)
  server.clock.advance(3 * MINUTE)
  expect(await tickAnswering({ done: false })).toMatchObject({ name: 'reboot-if-nobody' })
  await quietTick()
  server.clock.advance(10 * MINUTE)
  await tickAnswering({ done: true })
  expect(await last()).toMatchObject({
    state: 'succeeded',
    reason: `${reason} Restarted, because nobody was signed in.`,
  })
  server.clock.advance(60 * MINUTE)
  await quietTick()
  const audited = await ctx.db
    .selectFrom('audit_log')
    .select('username')
    .where('message', '=', 'Restarted the machine after the installation of patches')
    .execute()
  expect(audited).toEqual([{ username: 'server' }])
})

test('a machine whose user stays signed in is never restarted, and the result says so', async () => {
  await using given = await prepare({ reboot: REBOOT })
  const { server, tick, endRun, tickAnswering, quietTick, last } = given
  await tick()
  await endRun()
  await tick()
  for (let minutes = 3; minutes < 120; minutes += 30) {
    server.clock.freeze(new Date(Date.parse('2026-11-26T03:00:00Z') + minutes * 60_000).toISOString())
    expect((await tickAnswering({ done: false })).name).toBe('reboot-if-nobody')
  }
  server.clock.advance(60 * MINUTE)
  await quietTick()
  expect(await last()).toMatchObject({
    state: 'succeeded',
    reason: 'SRV-9 still needs a restart: a user was signed in until the deadline.',
  })
})

test('a signed-in user is warned, and may postpone the restart until the deadline', async () => {
  await using given = await prepare({ reboot: { ...REBOOT, when: 'warn' } })
  const { server, tick, endRun, tickAnswering, quietTick, last, pending } = given
  await tick()
  await endRun()
  await tick()
  server.clock.advance(2 * MINUTE)
  const due = '2026-11-26T03:17:00.000Z'
  expect(await tickAnswering({ due })).toMatchObject({
    name: 'plan-power',
    author: 'server',
    input: {
      action: 'reboot',
      message: 'Updates are installed.',
      seconds: 15 * MINUTE,
      postponements: 4,
      postpone_seconds: 60 * MINUTE,
      deadline_seconds: 118 * MINUTE,
      if_nobody: 'now',
    },
  })
  expect(await pending()).toMatchObject([{ action_type: 'schedreboot', due, username: 'server' }])
  expect(await last()).toMatchObject({
    state: 'succeeded',
    reason: 'A restart is planned, and the user is warned.',
  })
  server.clock.advance(30 * MINUTE)
  await quietTick()
})

test('a failed script before stops the installation, after a second try', async () => {
  await using given = await prepare({})
  const { server, tick, endRun, quietTick, last, skip } = given
  const script = await server.given.script({ name: 'Snapshot' })
  const scripts = { before: script.id, after: null, timeout: 60 }
  await given.add({ name: 'Scripts', content: patching({ scripts }), targets: everywhere })
  skip()
  await tick()
  await endRun(3)
  await quietTick()
  server.clock.advance(16 * MINUTE)
  await tick()
  expect((await endRun(3)).name).toBe('run-script')
  await quietTick()
  expect(await last()).toMatchObject({
    step: 'before',
    state: 'failed',
    reason: 'The script before the installation failed: It ended with exit code 3.',
    patches: 0,
  })
})

test('a machine that needs no restart, or has restarted meanwhile, is left alone', async () => {
  await using given = await prepare({ reboot: REBOOT })
  const { server, ctx, tick, endRun, quietTick, last, agent } = given
  await tick()
  await endRun()
  await tick()
  server.clock.advance(5 * MINUTE)
  const { id } = await ctx.db
    .selectFrom('agents')
    .select('id')
    .where('agent_id', '=', agent.agentId)
    .executeTakeFirstOrThrow()
  const facts = JSON.stringify({ boot_time: Date.parse('2026-11-26T03:01:00Z') / 1000 })
  await ctx.db.insertInto('agent_facts').values({ agent: id, facts }).execute()
  await quietTick()
  expect(await last()).toMatchObject({ state: 'succeeded', reason: 'Restarted.' })
})
