import { getAlertSuggestion } from '@muster/contract/api/alerts'
import type { Permission } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { audit } from '../audit/write-audit.ts'
import { instant, prepareAlerts } from './test-alerts.ts'

/** The check of pc-1 failed and recovered 40 minutes later, twice; it fails again now. */
async function prepare() {
  const prepared = await prepareAlerts()
  const { server, ctx, go, machine, check, report, alerts } = prepared
  const { agent_id } = await machine({ hostname: 'pc-1' })
  const cpu = await check(agent_id)
  let last = 60
  for (const start of [100, 10_000]) {
    go(start + 2400)
    await report(cpu, [start, 80], [start + 2400, 20])
    last = start + 2400
  }
  go(20_000)
  await report(cpu, [20_000, 95])
  const [first, second, now] = await alerts()
  const ada = server.as(await server.given.user({ username: 'ada', superuser: true }))
  const read = async (as = ada) =>
    (await as.call(getAlertSuggestion, { params: { id: now?.id ?? 0 } })).body.suggestion
  return {
    ...prepared,
    ada,
    read,
    last,
    first: first?.id,
    second: second?.id,
    cpu,
    agent_id,
    run: (at: number, more: object = {}) =>
      ctx.db
        .insertInto('agent_history')
        .values({
          agent_id,
          time: instant(at),
          started_at: instant(at),
          finished_at: instant(at),
          type: 'script_run',
          state: 'done',
          command: '',
          script_id: null,
          script_name: 'Clean up logs',
          shell: 'bash',
          username: 'ada',
          timeout_seconds: 30,
          expires_at: instant(at + 60),
          command_name: 'run-script',
          command_input: '',
          nonce: `n${at}`,
          retcode: 0,
          ...more,
        })
        .execute(),
    audited: (at: number, message: string, action: 'modify' | 'task_run' = 'modify') =>
      audit(ctx.db, {
        caller: { username: 'ada', source: '127.0.0.1' },
        action,
        object_type: 'service',
        message,
        agent: { agent_id },
        at: new Date(instant(at)),
      }),
  }
}

test('a script that ran before earlier alerts resolved is suggested, with dates and effect', async () => {
  await using prepared = await prepare()
  const { read, run, first, second } = prepared
  expect(await read()).toBeNull()
  await run(1000)
  await run(11_800)
  expect(await read()).toEqual({
    kind: 'script',
    name: 'Clean up logs',
    script_id: null,
    resolved: [
      {
        alert_id: second,
        hostname: 'pc-1',
        at: instant(12_400),
        minutes: 10,
        effect: { name: 'percent', unit: '%', before: 80, after: 20 },
      },
      expect.objectContaining({ alert_id: first, at: instant(2500), minutes: 25 }),
    ],
  })
})

test.each([
  ['service', 'ssh', 'Restarted the service "ssh"', 'modify'],
  ['reboot', '', 'Restarted the machine', 'modify'],
  ['task', 'Nightly', 'Ran the task "Nightly" on "pc-1"', 'task_run'],
] as const)('a %s is suggested by its audit row', async (kind, name, message, action) => {
  await using prepared = await prepare()
  await prepared.audited(11_000, message, action)
  expect(await prepared.read()).toMatchObject({ kind, name, script_id: null, resolved: [{ minutes: 23 }] })
})

test('the action that helped most often wins', async () => {
  await using prepared = await prepare()
  const { run, audited, read } = prepared
  await audited(12_000, 'Restarted the service "ssh"')
  await run(1000)
  await run(11_000)
  expect(await read()).toMatchObject({ kind: 'script', resolved: [{}, {}] })
})

test('actions that failed, came too early or after the end, or were never taken are not suggested', async () => {
  await using prepared = await prepare()
  const { run, audited, read, machine } = prepared
  await run(11_000, { retcode: 1 })
  await run(11_100, { state: 'failed' })
  await run(11_200, { type: 'cmd_run', script_name: null })
  await run(9000)
  await run(13_000)
  await run(11_300, { agent_id: (await machine()).agent_id })
  await audited(11_400, 'Failed to restart the service "ssh"')
  await audited(11_500, 'Stopped the service "ssh"')
  expect(await read()).toBeNull()
})

test('a role sees only the actions that it may list', async () => {
  await using prepared = await prepare()
  const { run, audited, read, server } = prepared
  await run(11_000)
  await audited(11_500, 'Restarted the service "ssh"')
  const as = async (...permissions: Permission[]) =>
    read(server.as(await server.given.user({ permissions: ['can_list_alerts', ...permissions] })))
  expect(await as()).toBeNull()
  expect(await as('can_list_agent_history')).toMatchObject({ kind: 'script' })
  expect(await as('can_view_auditlogs')).toMatchObject({ kind: 'service' })
})

test('the same check of a policy helps on other machines, but not beyond the scope of the role', async () => {
  await using prepared = await prepare()
  const { run, ctx, machine, check, report, server, cpu, ada } = prepared
  await run(11_000)
  const elsewhere = await server.given.site()
  const other = await machine({ hostname: 'pc-2', site_id: elsewhere.id })
  const same = await check(other.agent_id)
  await report(same, [20_000, 95])
  const alert = (await prepared.alerts()).at(-1)
  const params = { id: alert?.id ?? 0 }
  const read = async (as = ada) => (await as.call(getAlertSuggestion, { params })).body.suggestion
  expect(await read()).toBeNull()
  const policy = await ctx.db
    .insertInto('policies')
    .values({
      name: 'Servers',
      description: '',
      active: 1,
      enforced: 0,
      content: '{}',
      last_number: 1,
      version: 1,
      created_by: 'ada',
      created_at: instant(0),
      modified: instant(0),
      modified_by: 'ada',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('checks')
    .set({ policy_id: policy.id, policy_check: 1 })
    .where('id', 'in', [cpu.id, same.id])
    .execute()
  expect(await read()).toMatchObject({ kind: 'script', resolved: [{ hostname: 'pc-1' }] })
  const limited = server.as(
    await server.given.user({
      permissions: ['can_list_alerts', 'can_list_agent_history'],
      sites: [elsewhere.id],
    }),
  )
  expect(await read(limited)).toBeNull()
})
