import type { CommandInput } from '@muster/contract/agent/commands'
import { approveDefinitions, createTask, listWaitingDefinitions, runTask } from '@muster/contract/api/tasks'
import { createCheck } from '@muster/contract/api/checks'
import { createPolicy } from '@muster/contract/api/policies'
import { editScript } from '@muster/contract/api/scripts'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test, vi } from 'vitest'
import { LONG_PATIENCE_MS } from '../../../../../tools/patience.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { contentOf, taskOf } from '../policies/test-policies.ts'

/** The connected machine of a server, a superuser, and a user who may do everything else. */
async function start() {
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  const { agentId } = machine
  await server.ctx.db
    .updateTable('agents')
    .set({ server_machine: 1 })
    .where('agent_id', '=', agentId)
    .execute()
  await machine.comeOnline({ checksVersion: 0, tasksVersion: 0 })
  const root = server.as(await server.given.user({ superuser: true, username: 'ada' }))
  const ben = server.as(await server.given.user({ permissions: PERMISSIONS, username: 'ben' }))
  const params = { agent_id: agentId }
  /** Names of what the machine was last asked to run. */
  const given = (name: 'set-tasks' | 'set-checks') =>
    machine.frames
      .flatMap((frame) => (frame.type === 'command' ? [JSON.parse(frame.command.payload)] : []))
      .filter((payload: { name: string }) => payload.name === name)
      .map(({ input }: { input: CommandInput<'set-tasks'> }) => input)
      .toSorted((a, b) => a.version - b.version)
      .at(-1)
      ?.wanted.map(({ id }) => id) ?? []
  const waiting = async () => (await root.call(listWaitingDefinitions, { params })).body
  const approve = async () => {
    const definitions = (await waiting()).map(({ kind, id, revision }) => ({ kind, id, revision }))
    return root.call(approveDefinitions, { params, body: { definitions } })
  }
  const policy = (content: ReturnType<typeof contentOf>, by = ben) =>
    by.call(createPolicy, {
      body: {
        name: `Policy of ${String(Math.random())}`,
        active: true,
        content,
        targets: [{ level: 'client', id: site.client_id, monitoring_type: null }],
      },
    })
  return { server, machine, agentId, root, ben, given, waiting, approve, policy, params }
}

const soon = { timeout: LONG_PATIENCE_MS }

test('a task and a script check of a policy reach the machine of a server when a superuser approves them', async () => {
  const { server, given, waiting, approve, policy, ben, params } = await start()
  await using _ = server
  const script = await server.given.script({ name: 'Measure' })
  const settings = {
    check_type: 'script' as const,
    script: script.id,
    script_args: [],
    env_vars: [],
    timeout: 30,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
  }
  const content = contentOf([{ settings, fails_b4_alert: 1, run_interval: 0 }])
  const { status, text } = await policy({ ...content, tasks: [taskOf({ name: 'Tidy up' })] })
  expect([status, text]).toEqual([200, expect.anything()])
  await vi.waitFor(async () => expect(await waiting()).toHaveLength(2), soon)
  expect(await waiting()).toMatchObject([
    { kind: 'task', name: 'Tidy up', policy_name: expect.stringMatching(/^Policy/) },
    { kind: 'check' },
  ])
  expect([given('set-tasks'), given('set-checks')]).toEqual([[], []])
  // Only a superuser approves.
  const body = { definitions: [{ kind: 'task' as const, id: 1, revision: 'x' }] }
  expect((await ben.call(approveDefinitions, { params, body })).status).toBe(403)
  const all = await waiting()
  expect((await approve()).body).toEqual({ approved: 2 })
  const idOf = (kind: string) => all.filter((one) => one.kind === kind).map(({ id }) => id)
  await vi.waitFor(() => expect(given('set-tasks')).toEqual(idOf('task')), soon)
  await vi.waitFor(() => expect(given('set-checks')).toEqual(idOf('check')), soon)
  expect(await waiting()).toEqual([])
})

test('a script that a user changes is taken from the machine of a server until a superuser approves', async () => {
  const { server, given, waiting, approve, root, ben, agentId } = await start()
  await using _ = server
  const script = await server.given.script({ name: 'Clean up' })
  const action = { type: 'script' as const, script: script.id }
  const body = { agent: agentId, name: 'Nightly', task_type: 'manual' as const, actions: [action] }
  // Tasks that a superuser sets up on the machine need no approval.
  const { body: task } = await root.call(createTask, { body })
  if (typeof task === 'string') throw new Error('the task of a machine is an object')
  await vi.waitFor(() => expect(given('set-tasks')).toEqual([task.id]), soon)
  await ben.call(editScript, { params: { id: script.id }, body: { script_body: 'cat secret.key' } })
  await vi.waitFor(() => expect(given('set-tasks')).toEqual([]), soon)
  expect(await waiting()).toMatchObject([{ kind: 'task', name: 'Nightly' }])
  const { error } = await root.call(runTask, { params: { id: task.id }, body: {} })
  expect(error.detail).toMatch(/waits for the approval of a superuser/)
  // A superuser who changes something else of it has not seen the script.
  await root.call(createCheck, {
    body: { agent: agentId, settings: { check_type: 'ping', name: 'Router', ip: '192.0.2.1' } },
  })
  expect(await waiting()).toHaveLength(1)
  // An approval is for what the superuser saw.
  const seen = await waiting()
  await ben.call(editScript, { params: { id: script.id }, body: { script_body: 'cat muster.db' } })
  const definitions = seen.map(({ kind, id, revision }) => ({ kind, id, revision }))
  const late = await root.call(approveDefinitions, { params: { agent_id: agentId }, body: { definitions } })
  expect(late.error.code).toBe('changed_meanwhile')
  expect((await approve()).status).toBe(200)
  await vi.waitFor(() => expect(given('set-tasks')).toEqual([task.id]), soon)
})

test('other checks reach the machine of a server at once', async () => {
  const { server, given, waiting, policy } = await start()
  await using _ = server
  const settings = { check_type: 'ping' as const, name: 'Router', ip: '192.0.2.1' }
  await policy(
    contentOf([{ settings: { ...settings, alert_severity: 'warning' }, fails_b4_alert: 1, run_interval: 0 }]),
  )
  await vi.waitFor(() => expect(given('set-checks')).toHaveLength(1), soon)
  expect(await waiting()).toEqual([])
})
