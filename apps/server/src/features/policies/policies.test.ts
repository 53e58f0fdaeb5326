import { editAgent } from '@muster/contract/api/agents'
import {
  blockInheritance,
  deletePolicy,
  editPolicy,
  listPolicyRelations,
  setOwnSettings,
} from '@muster/contract/api/policies'
import { deleteCheck, editCheck } from '@muster/contract/api/checks'
import { editSite } from '@muster/contract/api/clients'
import { expect, test } from 'vitest'
import { checkOf, contentOf, CPU, PING, prepareFleet } from './test-policies.ts'

test('spec, policies: machines of a client get their own copies of the checks of its policy', async () => {
  await using fleet = await prepareFleet()
  const { client, pc, srv, add, checks, effective, versionOf } = fleet
  const policy = await add({
    name: 'Servers and PCs',
    content: contentOf([checkOf(CPU), checkOf(PING)]),
    targets: [{ level: 'client', id: client.id, monitoring_type: null }],
  })
  expect(policy).toMatchObject({ version: 1, agents_count: 2, is_whole: true })
  expect(policy.names.clients).toEqual([{ id: client.id, name: 'Nordwind' }])
  const [cpu, ping] = await checks()
  expect(cpu).toMatchObject({
    policy: policy.id,
    policy_name: 'Servers and PCs',
    overridden_by_policy: false,
    settings: CPU,
    check_result: { status: 'pending' },
  })
  expect(await checks(srv)).toHaveLength(2)
  expect((await checks(srv))[0]?.id).not.toBe(cpu?.id)
  expect(await versionOf()).toBe(1)
  expect(await effective()).toMatchObject({
    hostname: 'PC-12',
    chain: [{ policy: policy.id, level: 'client', outcome: 'applies' }],
    items: [
      { what: 'CPU load: warning at 70 %, error at 90 %', check_id: cpu?.id },
      { what: 'Ping Router', check_id: ping?.id, source: { own: false, policy: policy.id } },
    ],
  })
  const related = await fleet.root.call(listPolicyRelations, { params: { id: policy.id } })
  expect(related.body.agents.map(({ agent_id }) => agent_id)).toEqual([pc.agent_id, srv.agent_id])
})

test('an item of a policy is changed only in the policy', async () => {
  await using fleet = await prepareFleet()
  const { add, checks, root, site } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  const [check] = await checks()
  const params = { id: check?.id ?? 0 }
  const answers = [
    await root.call(editCheck, { params, body: { settings: CPU } }),
    await root.call(deleteCheck, { params }),
  ]
  for (const { error } of answers) {
    expect(error).toMatchObject({
      code: 'conflict',
      detail: 'This check comes from the policy "Base". Change it there.',
    })
  }
})

test('an own check overrides a policy, and an enforced policy overrides it until it no longer is enforced', async () => {
  await using fleet = await prepareFleet()
  const { addOwn, add, edit, checks, site, effective, versionOf } = fleet
  const { body: own } = await addOwn(CPU)
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const policy = await add({
    name: 'Base',
    content: contentOf([checkOf({ ...CPU, error_threshold: 80 })]),
    targets,
  })
  expect((await checks()).map(({ id }) => id)).toEqual([own.id])
  expect(await versionOf()).toBe(1)
  expect((await effective()).items).toMatchObject([
    { source: { own: true }, overrode: [{ lost: 'own', source: { policy: policy.id } }] },
  ])
  await edit(policy.id, { enforced: true })
  expect(await checks()).toMatchObject([
    { id: own.id, overridden_by_policy: true, check_result: { status: 'pending' } },
    { policy: policy.id, settings: { error_threshold: 80 } },
  ])
  expect(await versionOf()).toBe(2)
  expect((await effective()).items).toMatchObject([
    { source: { own: false, level: 'site' }, overrode: [{ lost: 'enforced', source: { own: true } }] },
  ])
  await edit(policy.id, { enforced: false })
  expect(await checks()).toMatchObject([{ id: own.id, overridden_by_policy: false }])
  expect(await versionOf()).toBe(3)
})

test('a new own check replaces the policy check', async () => {
  await using fleet = await prepareFleet()
  const { addOwn, add, checks, site, settle, root } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  const { body: own } = await addOwn({ ...CPU, warning_threshold: 10 })
  await settle()
  expect((await checks()).map(({ id }) => id)).toEqual([own.id])
  await root.call(deleteCheck, { params: { id: own.id } })
  await settle()
  expect(await checks()).toMatchObject([{ policy: policy.id }])
})

test('the same script with other arguments is another check', async () => {
  await using fleet = await prepareFleet()
  const { add, checks, site, server } = fleet
  const script = await server.given.script({ name: 'Backup' })
  const windows = await server.given.script({ name: 'Win', supported_platforms: '["windows"]' })
  const run = (id: number, ...script_args: string[]) =>
    checkOf({
      check_type: 'script',
      script: id,
      script_args,
      env_vars: [],
      timeout: 60,
      info_return_codes: [],
      warning_return_codes: [],
      success_return_codes: [],
      metric_thresholds: [],
    })
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const content = contentOf([run(script.id, 'daily'), run(script.id, 'weekly'), run(windows.id)])
  const policy = await add({ name: 'Base', content, targets })
  expect((await checks()).map(({ settings }) => 'script_args' in settings && settings.script_args)).toEqual([
    ['daily'],
    ['weekly'],
  ])
  expect((await fleet.effective()).unfit).toMatchObject([
    { what: 'Script Win', source: { policy: policy.id } },
  ])
})

test('blocked inheritance, exclusions, moves and searches apply', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, checks, client, site, pc, srv, root, settle, server } = fleet
  const policy = await add({
    name: 'Base',
    content: contentOf([checkOf(CPU)]),
    targets: [
      { level: 'client', id: client.id, monitoring_type: 'workstation' },
      { level: 'search', search: 'database srv' },
    ],
  })
  const counts = async () => [(await checks()).length, (await checks(srv)).length]
  expect(await counts()).toEqual([1, 0])
  await root.call(editAgent, { params: { agent_id: srv.agent_id }, body: { description: 'The Database' } })
  await settle()
  expect(await counts()).toEqual([1, 1])
  const block = async (level: 'site' | 'client', on: boolean) => {
    const target = { level, id: level === 'site' ? site.id : client.id }
    await root.call(blockInheritance, { body: { target, block_policy_inheritance: on } })
    await settle()
  }
  await block('site', true)
  expect(await counts()).toEqual([0, 1])
  await block('site', false)
  expect(await counts()).toEqual([1, 1])
  await root.call(blockInheritance, {
    body: { target: { level: 'agent', id: srv.agent_id }, block_policy_inheritance: true },
  })
  await settle()
  expect(await counts()).toEqual([1, 0])
  await edit(policy.id, { excluded_agents: [pc.agent_id] })
  expect(await counts()).toEqual([0, 0])
  await edit(policy.id, { excluded_agents: [] })
  const other = await server.given.site()
  await server.given.site({ client_id: client.id })
  await root.call(editSite, { params: { id: site.id }, body: { site: { client: other.client_id } } })
  await settle()
  expect(await counts()).toEqual([0, 0])
})

test('a deactivated or deleted policy removes its checks and their alerts', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, checks, settle, root, server } = fleet
  const content = contentOf([checkOf(CPU)], { check_interval: 30 })
  const policy = await add({ name: 'Base', content, targets: [{ level: 'default', monitoring_type: null }] })
  expect(policy).toMatchObject({ default_server_policy: true, default_workstation_policy: true })
  expect(await checks()).toHaveLength(1)
  await edit(policy.id, { active: false })
  expect(await checks()).toHaveLength(0)
  await edit(policy.id, { active: true })
  expect(await checks()).toHaveLength(1)
  expect((await root.call(deletePolicy, { params: { id: policy.id } })).status).toBe(200)
  await settle()
  expect(await checks()).toHaveLength(0)
  const rows = await server.ctx.db
    .selectFrom('agents')
    .select(['check_interval', 'setting_sources'])
    .execute()
  expect(rows).toEqual(rows.map(() => ({ check_interval: 120, setting_sources: '{}' })))
})

test('settings come from a policy unless the machine has its own, and enforced ones cannot be changed', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, root, settle, server, pc, effective } = fleet
  const params = { agent_id: pc.agent_id }
  const read = async () => {
    const { check_interval, offline_time, overdue_time } = await server.ctx.db
      .selectFrom('agents')
      .selectAll()
      .where('agent_id', '=', pc.agent_id)
      .executeTakeFirstOrThrow()
    return [check_interval, offline_time, overdue_time]
  }
  const policy = await add({
    name: 'Base',
    content: contentOf([], { check_interval: 60, offline_time: 40 }),
    targets: [{ level: 'default', monitoring_type: null }],
  })
  expect(await read()).toEqual([60, 40, 41])
  await root.call(editAgent, { params, body: { check_interval: 300 } })
  await settle()
  expect(await read()).toEqual([300, 40, 41])
  expect((await effective()).items).toMatchObject(
    [
      { kind: 'agent_settings', what: 'Offline after 40 min', source: { own: false } },
      {
        key: 'check_interval',
        source: { own: true },
        overrode: [{ what: 'Check interval: 60 s', lost: 'own' }],
      },
    ].toReversed(),
  )
  await edit(policy.id, { enforced: true })
  expect(await read()).toEqual([60, 40, 41])
  expect((await root.call(editAgent, { params, body: { check_interval: 90 } })).error).toMatchObject({
    code: 'conflict',
    fields: { check_interval: ['The enforced policy "Base" sets this for PC-12. Change it there.'] },
  })
  await edit(policy.id, { enforced: false })
  expect(await read()).toEqual([300, 40, 41])
  expect((await root.call(setOwnSettings, { params, body: { check_interval: null } })).status).toBe(200)
  expect(await read()).toEqual([60, 40, 41])
  await edit(policy.id, { active: false })
  expect(await read()).toEqual([120, 4, 30])
})

test('a check of a policy depends on another one, on each machine that has both', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, checks, site, root } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const policy = await add({ name: 'Base', content: contentOf([checkOf(PING), checkOf(CPU)]), targets })
  const given = policy.content.checks
  const [ping = 0, cpu = 0] = given.map(({ id }) => id)
  const withLinks = (...links: [check: number, on: number][]) =>
    contentOf(
      given.map((check) => {
        const on = links.find(([id]) => id === check.id)?.[1]
        return on === undefined ? check : { ...check, depends_on: on }
      }),
    )
  await edit(policy.id, { content: withLinks([cpu, ping]) })
  for (const agent of [fleet.pc, fleet.srv]) {
    const rows = await checks(agent)
    const router = rows.find(({ settings }) => settings.check_type === 'ping')
    expect(rows.find(({ settings }) => settings.check_type === 'cpuload')).toMatchObject({
      depends_on: router?.id,
      dependency: { hostname: agent.hostname, readable_desc: 'Ping Router' },
    })
  }
  const refused = await root.call(editPolicy, {
    params: { id: policy.id },
    body: { content: withLinks([cpu, ping], [ping, cpu]) },
  })
  expect(refused.error).toMatchObject({
    fields: {
      'content.checks.0.depends_on': ['These checks depend on each other. Remove one dependency.'],
    },
  })
  const gone = await root.call(editPolicy, {
    params: { id: policy.id },
    body: { content: contentOf([{ ...checkOf(CPU, cpu), depends_on: ping }]) },
  })
  expect(gone.status).toBe(400)
  await edit(policy.id, { content: contentOf([checkOf(CPU, cpu)]) })
  expect(await checks()).toMatchObject([{ depends_on: null }])
})
