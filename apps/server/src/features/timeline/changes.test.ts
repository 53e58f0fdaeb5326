import { listMachineChanges, MAX_OF_KIND } from '@muster/contract/api/timeline'
import type { Output } from '@muster/contract/endpoint'
import type { Permission } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { storeChanges } from '../agents/fact-changes.ts'
import { audit } from '../audit/write-audit.ts'
import { storeMetrics } from '../metrics/store-metrics.ts'
import { checkOf, contentOf, CPU, prepareFleet } from '../policies/test-policies.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z') / 1000
const instant = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString()

type ChangesInput = { params: { agent_id: string }; query: { from: number; to?: number; limit?: number } }

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(instant(0))
  const { ctx, given } = server
  const { agent_id } = await given.agent()
  return {
    server,
    ctx,
    given,
    agentId: agent_id,
    root: server.as(await given.user({ username: 'ada', superuser: true })),
    query: (query: { from: number; to?: number; limit?: number }): ChangesInput => ({
      params: { agent_id },
      query: {
        ...query,
        from: NOW + query.from,
        ...(query.to === undefined ? {} : { to: NOW + query.to }),
      },
    }),
    software: (at: number, ...texts: string[]) =>
      ctx.transaction((tx) => storeChanges(tx, { agentId: agent_id, at: NOW + at, texts })),
    change: (at: number, message: string) =>
      audit(ctx.db, {
        caller: { username: 'ada', source: '127.0.0.1' },
        action: 'modify',
        object_type: 'service',
        message,
        agent: { agent_id },
        at: new Date(instant(at)),
      }),
    run: (at: number, more: object = {}) =>
      ctx.db
        .insertInto('agent_history')
        .values({
          agent_id,
          time: instant(at),
          started_at: instant(at),
          finished_at: instant(at + 5),
          type: 'cmd_run',
          state: 'done',
          command: 'apt upgrade',
          shell: 'bash',
          username: 'ada',
          timeout_seconds: 30,
          expires_at: instant(at + 60),
          command_name: 'run-command',
          command_input: '',
          nonce: `n${at}`,
          retcode: 0,
          ...more,
        })
        .execute(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('software, restarts, commands, settings and policies since a time are one list, newest first', async () => {
  await using prepared = await prepare()
  const { ctx, root, query, software, change, run, agentId } = prepared
  await change(-5000, 'Changed something before')
  await software(-900, 'Software: updated nginx 1.22 → 1.24')
  await change(-800, 'Restarted service nginx')
  await run(-700)
  // Ordered long ago, started now.
  await run(-9000, { started_at: instant(-100), command: 'waited' })
  for (const [at, uptime] of [
    [-450, 90_000],
    [-390, 20],
  ] as const)
    await ctx.transaction((tx) =>
      storeMetrics(tx, ctx, [{ agentId, sample: { at: instant(at), values: { uptime } } }]),
    )
  const { changes, next } = (await root.call(listMachineChanges, query({ from: -1000 }))).body
  expect(next).toBeNull()
  expect(changes.map(({ kind, from, text, by }) => [kind, from - NOW, text, by])).toEqual([
    ['run', -100, 'waited', 'ada'],
    ['reboot', -410, 'Started', ''],
    ['run', -700, 'apt upgrade', 'ada'],
    ['change', -800, 'Restarted service nginx', 'ada'],
    ['system', -900, 'Software: updated nginx 1.22 → 1.24', ''],
  ])
})

test('saved versions of a policy are changes of the machines that it applies to', async () => {
  await using fleet = await prepareFleet()
  const { root, server, pc, srv } = fleet
  const policy = await fleet.add({ name: 'Desks', targets: [{ level: 'agent', id: pc.agent_id }] })
  await fleet.edit(policy.id, { content: contentOf([checkOf(CPU)]) })
  const changesOf = async (client: typeof root, agent_id: string) => {
    const { body } = await client.call(listMachineChanges, { params: { agent_id }, query: { from: 0 } })
    return body.changes.filter(({ kind }) => kind === 'policy').map(({ text, by, id }) => [text, by, id])
  }
  const versions = [
    ['Saved version 1 of the policy "Desks"', 'root', policy.id],
    ['Saved version 2 of the policy "Desks"', 'root', policy.id],
  ]
  expect(await changesOf(root, pc.agent_id)).toEqual(expect.arrayContaining(versions))
  expect(await changesOf(root, srv.agent_id)).toEqual([])
  const viewer = server.as(
    await server.given.user({ permissions: ['can_list_agents', 'can_view_auditlogs'] }),
  )
  expect(await changesOf(viewer, pc.agent_id)).toEqual([])
})

test('pages join without a gap, without repetition, and without dividing a second', async () => {
  await using prepared = await prepare()
  const { root, query, software, change } = prepared
  for (let at = -60; at < 0; at += 10) await change(at, `Change ${at}`)
  await software(-30, 'Software: installed a', 'Software: installed b')
  const seen: string[] = []
  let to: number | undefined
  let pages = 0
  for (let isMore = true; isMore; pages++) {
    const asked = query({ from: -1000, limit: 2 })
    const { body } = await root.call(listMachineChanges, {
      ...asked,
      query: { ...asked.query, ...(to === undefined ? {} : { to }) },
    })
    seen.push(...body.changes.map(({ text }) => text))
    to = body.next ?? undefined
    isMore = body.next !== null
  }
  expect(seen).toEqual([
    'Change -10',
    'Change -20',
    'Software: installed b',
    'Software: installed a',
    'Change -30',
    'Change -40',
    'Change -50',
    'Change -60',
  ])
  expect(pages).toBeGreaterThan(2)
})

test('a thousand changes of one kind do not hide older ones of another', async () => {
  await using prepared = await prepare()
  const { root, query, change, run } = prepared
  await change(-5000, 'Restarted service nginx')
  for (let at = -1000; at < 0; at += 2) await run(at)
  const seen: number[] = []
  const first = query({ from: -9000, limit: MAX_OF_KIND })
  let next: number | null = NOW
  while (next !== null) {
    const asked: typeof first = { ...first, query: { ...first.query, to: next } }
    const { body }: { body: Output<typeof listMachineChanges> } = await root.call(listMachineChanges, asked)
    seen.push(...body.changes.map(({ from }) => from - NOW))
    next = body.next
  }
  expect(seen).toHaveLength(501)
  expect(new Set(seen).size).toBe(501)
  expect(seen.at(-1)).toBe(-5000)
})

test('each kind needs its permission, and machines of others are not found', async () => {
  await using prepared = await prepare()
  const { server, given, query, software, change, run } = prepared
  await software(-300, 'Software: removed telnet')
  await change(-200, 'Restarted service nginx')
  await run(-100)
  const kindsOf = async (...permissions: Permission[]) => {
    const client = server.as(await given.user({ permissions }))
    const { body } = await client.call(listMachineChanges, query({ from: -1000 }))
    return body.changes.map(({ kind }) => kind)
  }
  expect(await kindsOf('can_list_agents')).toEqual(['system'])
  expect(await kindsOf('can_list_agents', 'can_view_auditlogs')).toEqual(['change', 'system'])
  expect(await kindsOf('can_list_agents', 'can_list_agent_history')).toEqual(['run', 'system'])
  const elsewhere = await given.client()
  const stranger = server.as(await given.user({ permissions: ['can_list_agents'], clients: [elsewhere.id] }))
  expect((await stranger.call(listMachineChanges, query({ from: -1000 }))).status).toBe(404)
})

test.each([
  ['a range that ends before it starts', { from: 100, to: 50 }, 400],
  ['a limit beyond the maximum', { from: 0, limit: 100_000 }, 400],
  ['a time that is no number', { from: 'yesterday' }, 400],
  ['the end of time', { from: 0, to: Number.MAX_SAFE_INTEGER }, 200],
  ['a start after the end of time', { from: Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }, 200],
])('%s is answered clearly', async (_what, query, status) => {
  await using prepared = await prepare()
  const { root, agentId } = prepared
  const response = await root.call(listMachineChanges, {
    params: { agent_id: agentId },
    // Hostile on purpose.
    query: query as never,
  })
  expect(response.status).toBe(status)
})
