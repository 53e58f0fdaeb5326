import {
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyTasks,
  listPolicyTaskStatus,
  runPolicyTask,
} from '@muster/contract/api/policies'
import { createCheck } from '@muster/contract/api/checks'
import { createTask } from '@muster/contract/api/tasks'
import { PERMISSIONS } from '@muster/contract/permissions'
import { policyItemId } from '@muster/contract/policies/policy-items'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { checkOf, contentOf, CPU, PING, prepareFleet, taskOf } from './test-policies.ts'

const AT = '2026-11-22T06:00:00.000Z'

describe.each(testEngines)('on $engine', ({ open }) => {
  test('a check and a task are added to a policy by the endpoints for checks and tasks', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { root, site, pc, add, checks, tasks, settle } = fleet
    const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
    const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
    const flat = { policy: policy.id, check_type: 'ping', name: 'Router', ip: '192.0.2.1', run_interval: 60 }
    // The format of programs written for the reference.
    const check = await root.call(createCheck, { body: flat as never })
    expect(check.body).toEqual({ id: policyItemId(policy.id, 2), policy: policy.id, number: 2 })
    const action = { type: 'cmd', shell: 'sh', command: 'true' } as const
    const task = await root.call(createTask, {
      body: { policy: policy.id, name: 'Tidy up', task_type: 'manual', actions: [action] },
    })
    expect(task.body).toEqual({ id: policyItemId(policy.id, 3), policy: policy.id, number: 3 })
    const onWindows = { name: 'Defragment', task_type: 'manual' as const, actions: [action] }
    const task_supported_platforms = ['windows' as const]
    await root.call(createTask, { body: { policy: policy.id, ...onWindows, task_supported_platforms } })
    await settle()
    expect(
      (await checks(pc)).map(({ settings, run_interval }) => [settings.check_type, run_interval]),
    ).toEqual([
      ['cpuload', 0],
      ['ping', 60],
    ])
    // The machine runs Linux.
    expect((await tasks(pc)).map(({ name, policy: of }) => [name, of])).toEqual([['Tidy up', policy.id]])
    const { body: policyTasks } = await root.call(listPolicyTasks, { params: { id: policy.id } })
    expect(policyTasks.map((item) => [item.name, item.task_supported_platforms])).toEqual([
      ['Tidy up', ['windows', 'linux', 'darwin']],
      ['Defragment', ['windows']],
    ])
    const body = { agent: pc.agent_id, ...onWindows, task_supported_platforms }
    expect((await root.call(createTask, { body })).error).toMatchObject({
      code: 'invalid',
      fields: { task_supported_platforms: ['Only a task of a policy has platforms.'] },
    })
    const { body: listed } = await root.call(listPolicyChecks, { params: { id: policy.id } })
    expect(listed.map(({ id }) => id)).toContain(check.body.id)
  })

  test('a policy shows the state of each of its checks and tasks per machine', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { server, root, site, pc, srv, add, checks, tasks } = fleet
    const policy = await add({
      name: 'Base',
      content: {
        ...contentOf([checkOf(CPU), checkOf(PING)]),
        tasks: [taskOf({ name: 'Clean' })],
      },
      targets: [{ level: 'site', id: site.id, monitoring_type: null }],
    })
    const { db } = server.ctx
    const [cpu] = await checks(pc)
    const [task] = await tasks(srv)
    await db
      .insertInto('check_results')
      .values({
        check_id: cpu?.id ?? 0,
        status: 'failing',
        alert_severity: 'warning',
        more_info: '81 %',
        last_run: AT,
        ran_at: Date.parse(AT) / 1000,
        fail_count: 1,
        failing_since: AT,
        measured: JSON.stringify({ check_type: 'cpuload', percent: 81 }),
      })
      .execute()
    await db
      .insertInto('task_results')
      .values({
        task_id: task?.id ?? 0,
        status: 'failing',
        run_status: 'completed',
        retcode: 3,
        stdout: '',
        stderr: 'no',
        execution_time: 1,
        last_run: AT,
        more_info: 'It ended with 3.',
      })
      .execute()
    const params = { id: policy.id }
    const listed = await root.call(listPolicyChecks, { params })
    const none = { passing: 0, info: 0, warning: 0, error: 0 }
    expect(listed.body).toMatchObject([
      {
        policy: policy.id,
        settings: CPU,
        readable_desc: 'CPU load',
        counts: { ...none, warning: 1, pending: 1 },
      },
      { readable_desc: 'Ping Router', counts: { ...none, pending: 2 } },
    ])
    const [first] = listed.body
    const status = await root.call(listPolicyCheckStatus, { params: { id: first?.id ?? 0 } })
    expect(status.body).toMatchObject([
      {
        hostname: 'PC-12',
        client_name: 'Nordwind',
        site_name: 'Bern',
        agent_id: pc.agent_id,
        check_id: cpu?.id,
        status: 'failing',
        alert_severity: 'warning',
        more_info: '81 %',
        last_run: AT,
      },
      { hostname: 'SRV-1', status: 'pending', last_run: null },
    ])
    const jobs = await root.call(listPolicyTasks, { params })
    expect(jobs.body).toMatchObject([
      {
        name: 'Clean',
        schedule: 'Only manually',
        counts: { passing: 0, failing: 1, pending: 1 },
      },
    ])
    const went = await root.call(listPolicyTaskStatus, { params: { id: jobs.body[0]?.id ?? 0 } })
    expect(went.body).toMatchObject([
      { hostname: 'PC-12', status: 'pending' },
      { hostname: 'SRV-1', status: 'failing', retcode: 3, stderr: 'no', more_info: 'It ended with 3.' },
    ])
  })
})

test('a check lists the tasks of the policy that it starts on failure', async () => {
  await using fleet = await prepareFleet()
  const { root, add, edit } = fleet
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]) })
  const onFailure = taskOf({ name: 'Restart', task_type: 'checkfailure', assigned_check: 1 })
  await edit(policy.id, { content: { ...policy.content, tasks: [onFailure] } })
  const params = { id: policy.id }
  const { body: checks } = await root.call(listPolicyChecks, { params })
  const { body: tasks } = await root.call(listPolicyTasks, { params })
  expect(checks[0]?.assignedtasks).toEqual([{ id: tasks[0]?.id, name: 'Restart' }])
  expect(tasks[0]?.check_name).toBe('CPU load')
})

test('a task of a policy runs on every connected machine, and reports the others', async () => {
  await using fleet = await prepareFleet()
  const { root, site, add } = fleet
  const policy = await add({
    name: 'Base',
    content: { ...contentOf([]), tasks: [taskOf()] },
    targets: [{ level: 'site', id: site.id, monitoring_type: null }],
  })
  const { body: tasks } = await root.call(listPolicyTasks, { params: { id: policy.id } })
  const answer = await root.call(runPolicyTask, { params: { id: tasks[0]?.id ?? 0 } })
  expect(answer.body).toEqual({ sent: 0, offline: 2 })
})

test('only visible machines are counted and listed, and unknown items are not found', async () => {
  await using fleet = await prepareFleet()
  const { server, root, client, site, add } = fleet
  const other = await server.given.site({ client_id: client.id, name: 'Zug' })
  await server.given.agent({ site_id: other.id, hostname: 'PC-99' })
  const targets = [{ level: 'client' as const, id: client.id, monitoring_type: null }]
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  const hidden = await add({
    name: 'Hidden',
    content: contentOf([checkOf(PING)]),
    targets: [{ level: 'site', id: other.id, monitoring_type: null }],
  })
  const bob = server.as(
    await server.given.user({ permissions: ['can_list_automation_policies'], sites: [site.id] }),
  )
  const { body } = await bob.call(listPolicyChecks, { params: { id: policy.id } })
  expect(body[0]?.counts.pending).toBe(2)
  const id = body[0]?.id ?? 0
  const { body: rows } = await bob.call(listPolicyCheckStatus, { params: { id } })
  expect(rows.map(({ hostname }) => hostname)).toEqual(['PC-12', 'SRV-1'])
  const refusals = [
    await bob.call(listPolicyChecks, { params: { id: hidden.id } }),
    await bob.call(listPolicyCheckStatus, { params: { id: policyItemId(hidden.id, 1) } }),
    await root.call(listPolicyCheckStatus, { params: { id: policyItemId(policy.id, 77) } }),
    await root.call(listPolicyTaskStatus, { params: { id } }),
    await root.call(listPolicyCheckStatus, { params: { id: 3 } }),
  ]
  expect(refusals.map(({ error }) => error?.code)).toEqual(Array.from({ length: 5 }, () => 'not_found'))
})

test('a check belongs to a machine or a policy, and a policy check requires the permission for policies', async () => {
  await using fleet = await prepareFleet()
  const { server, root, pc, add } = fleet
  const policy = await add({ name: 'Base' })
  const permissions = PERMISSIONS.filter((name) => name !== 'can_manage_automation_policies')
  const ada = server.as(await server.given.user({ permissions }))
  const body = { policy: policy.id, settings: CPU }
  expect((await ada.call(createCheck, { body })).error).toMatchObject({
    code: 'not_allowed',
    detail: expect.stringContaining('can_manage_automation_policies'),
  })
  for (const wrong of [{ settings: CPU }, { ...body, agent: pc.agent_id }]) {
    const { error } = await root.call(createCheck, { body: wrong })
    expect(error).toMatchObject({
      code: 'invalid',
      fields: { agent: ['Choose either a machine or a policy.'] },
    })
  }
  expect((await root.call(createCheck, { body: { ...body, policy: 99 } })).error.code).toBe('not_found')
  expect((await root.call(createCheck, { body })).status).toBe(200)
  const twice = await root.call(createCheck, { body })
  expect(twice.error.detail).toContain('The policy has the same check twice')
})
