import {
  createPolicy,
  deletePolicy,
  editPolicy,
  getPolicy,
  listPolicies,
  listPolicyVersions,
  planPolicy,
  revertPolicy,
} from '@muster/contract/api/policies'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { checkOf, contentOf, CPU, documentOf, PING, prepareFleet } from './test-policies.ts'

test('spec, policies: a plan shows the effect on each machine, and a stale one is refused', async () => {
  await using fleet = await prepareFleet()
  const { add, plan, root, site, addOwn, settle } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  const document = {
    ...documentOf(policy),
    content: contentOf([checkOf({ ...CPU, error_threshold: 80 }, 1), checkOf(PING)], { check_interval: 60 }),
  }
  const shown = await plan(policy.id, document)
  expect(shown).toMatchObject({
    agents_count: 2,
    lines: [
      { change: 'changed', what: expect.stringMatching('^CPU load: .*80 %'), agents_count: 2 },
      { change: 'added', what: 'Ping Router', agents_count: 2 },
      { change: 'added', what: 'Check interval: 60 s', agents_count: 2 },
    ],
  })
  expect(shown.agents[0]).toMatchObject({ hostname: 'PC-12', changes: [{}, {}, {}] })
  expect(await plan(policy.id, document)).toEqual(shown)
  await addOwn(CPU)
  await settle()
  const save = { params: { id: policy.id }, body: { ...document, plan: shown.token } }
  expect((await root.call(editPolicy, save)).error).toMatchObject({
    code: 'changed_meanwhile',
    detail: expect.stringMatching('^The policies or machines have changed'),
  })
  const again = await plan(policy.id, document)
  expect(again.lines).toContainEqual({
    kind: 'checks',
    change: 'changed',
    what: expect.stringMatching('^CPU'),
    agents_count: 1,
  })
  const saved = await root.call(editPolicy, { ...save, body: { ...document, plan: again.token } })
  expect(saved.body).toMatchObject({ version: 2, content: { checks: [{ id: 1 }, { id: 2 }] } })
  const over = await plan(policy.id, undefined)
  expect(over.lines.map(({ change }) => change)).toContain('removed')
  const params = { id: policy.id }
  expect((await root.call(deletePolicy, { params, query: { plan: shown.token } })).status).toBe(409)
  expect((await root.call(deletePolicy, { params, query: { plan: over.token } })).status).toBe(200)
})

test('a new policy is planned and saved with its plan', async () => {
  await using fleet = await prepareFleet()
  const { add, plan, root, settle, checks } = fleet
  const inactive = await add({ name: 'Base', active: false, content: contentOf([checkOf(CPU)]) })
  const document = {
    ...documentOf(inactive),
    name: 'New',
    active: true,
    content: contentOf([checkOf(PING)]),
    targets: [{ level: 'default' as const, monitoring_type: 'server' as const }],
  }
  const shown = await plan(undefined, document)
  expect(shown).toMatchObject({ agents_count: 1, agents: [{ hostname: 'SRV-1' }] })
  const { status } = await root.call(createPolicy, { body: { ...document, plan: shown.token } })
  expect(status).toBe(200)
  await settle()
  expect(await checks(fleet.srv)).toHaveLength(1)
  const copy = await root.call(createPolicy, { body: { name: 'Copy', copyId: inactive.id } })
  expect(copy.body).toMatchObject({ active: false, content: { checks: [{ settings: CPU }] }, targets: [] })
})

test('every version is kept, and an earlier one can be restored with its checks', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, root, site, checks, settle, server } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  const [cpu] = await checks()
  await server.ctx.db
    .insertInto('check_results')
    .values({
      check_id: cpu?.id ?? 0,
      status: 'passing',
      alert_severity: null,
      more_info: '',
      last_run: server.clock.now().toISOString(),
      ran_at: Math.floor(server.clock.now().getTime() / 1000),
      fail_count: 0,
      failing_since: null,
      measured: '{"check_type":"cpuload","percent":75}',
    })
    .execute()
  await edit(policy.id, {
    content: contentOf([checkOf({ ...CPU, warning_threshold: 60 }, 1), checkOf(PING)]),
  })
  expect(await checks()).toMatchObject([
    { id: cpu?.id, check_result: { status: 'failing', alert_severity: 'warning' } },
    { settings: PING },
  ])
  const params = { id: policy.id }
  const versions = (await root.call(listPolicyVersions, { params })).body
  expect(versions).toMatchObject([
    { version: 2, by: 'root', policy: { content: { checks: [{ id: 1 }, { id: 2 }] } } },
    { version: 1, policy: { name: 'Base', content: { checks: [{ id: 1, settings: CPU }] } } },
  ])
  const reverted = await root.call(revertPolicy, { params, body: { version: 1 } })
  expect(reverted.body).toMatchObject({ version: 3, content: { checks: [{ id: 1, settings: CPU }] } })
  await settle()
  expect(await checks()).toMatchObject([{ id: cpu?.id, settings: CPU }])
  expect((await root.call(listPolicyVersions, { params })).body[0]).toMatchObject({
    reason: 'Reverted to version 1',
  })
  expect((await root.call(revertPolicy, { params, body: { version: 9 } })).status).toBe(404)
  const audit = await server.ctx.db
    .selectFrom('audit_log')
    .select(['action', 'message'])
    .where('object_type', '=', 'policy')
    .orderBy('id')
    .execute()
  expect(audit.map(({ message }) => message)).toEqual([
    'Added the policy "Base"',
    'Changed the policy "Base"',
    'Changed the policy "Base": Reverted to version 1',
  ])
})

test('an invalid policy is refused with a sentence at its field', async () => {
  await using fleet = await prepareFleet()
  const { root, add } = fleet
  await add({ name: 'Base' })
  const refused = async (body: object) =>
    (await root.call(createPolicy, { body: { name: 'New', ...body } })).error
  const bad = contentOf([checkOf({ ...CPU, warning_threshold: 95 })])
  expect(await refused({ content: bad })).toMatchObject({
    code: 'invalid',
    fields: {
      'content.checks.0.settings.warning_threshold': ['Warning Threshold must be less than Error Threshold'],
    },
  })
  expect(await refused({ name: 'Base' })).toMatchObject({
    code: 'conflict',
    fields: { name: ['A policy named "Base" already exists.'] },
  })
  expect((await refused({ content: contentOf([checkOf(CPU), checkOf(CPU)]) })).detail).toMatch(
    'The policy has the same check twice: CPU load',
  )
  expect((await refused({ content: contentOf([checkOf(CPU, 7)]) })).code).toBe('invalid')
  expect((await refused({ targets: [{ level: 'search', search: 'is:online' }] })).detail).toMatch(
    'A policy cannot use "is:online"',
  )
  expect((await refused({ targets: [{ level: 'site', id: 999, monitoring_type: null }] })).code).toBe(
    'not_found',
  )
  expect(await refused({ content: contentOf([], { offline_time: 9, overdue_time: 9 }) })).toMatchObject({
    fields: { 'content.agent_settings.overdue_time': ['Enter more than the 9 minutes of "offline".'] },
  })
})

test('a user with one client sees its policies only, and changes none that applies to others', async () => {
  await using fleet = await prepareFleet()
  const { server, add, client, root } = fleet
  const other = await server.given.client({ name: 'Hidden' })
  await server.given.site({ client_id: other.id })
  const here = { level: 'client' as const, id: client.id, monitoring_type: null }
  const there = { level: 'client' as const, id: other.id, monitoring_type: null }
  const own = await add({ name: 'Own', targets: [here] })
  const both = await add({ name: 'Both', targets: [here, there] })
  const all = await add({ name: 'All', targets: [{ level: 'default', monitoring_type: null }] })
  const foreign = await add({ name: 'Foreign', targets: [there] })
  const user = await server.given.user({ permissions: PERMISSIONS, clients: [client.id] })
  const ada = server.as(user)
  const listed = (await ada.call(listPolicies, { query: {} })).body
  expect(listed.map(({ name, is_whole }) => [name, is_whole])).toEqual([
    ['All', false],
    ['Both', false],
    ['Own', true],
  ])
  expect(JSON.stringify(listed)).not.toContain('Hidden')
  expect(listed.find(({ name }) => name === 'Both')?.targets).toEqual([here])
  const params = { id: foreign.id }
  expect((await ada.call(getPolicy, { params })).status).toBe(404)
  expect((await ada.call(listPolicyVersions, { params })).status).toBe(404)
  expect((await ada.call(deletePolicy, { params })).status).toBe(404)
  for (const { id } of [both, all]) {
    expect((await ada.call(editPolicy, { params: { id }, body: { active: false } })).status).toBe(403)
    expect((await ada.call(listPolicyVersions, { params: { id } })).status).toBe(403)
  }
  expect((await ada.call(editPolicy, { params: { id: own.id }, body: { desc: 'mine' } })).status).toBe(200)
  const wide = { targets: [there] }
  expect((await ada.call(editPolicy, { params: { id: own.id }, body: wide })).status).toBe(404)
  const default_ = { targets: [{ level: 'default' as const, monitoring_type: null }] }
  expect((await ada.call(editPolicy, { params: { id: own.id }, body: default_ })).status).toBe(403)
  expect((await ada.call(planPolicy, { body: { id: foreign.id } })).status).toBe(404)
  expect((await root.call(listPolicies, { query: {} })).body).toHaveLength(4)
})

test('one of many concurrent saves with the same plan succeeds', async () => {
  await using fleet = await prepareFleet()
  const { add, root } = fleet
  const policy = await add({ name: 'Base' })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      root.call(editPolicy, {
        params: { id: policy.id },
        body: { desc: String(index), modified: policy.modified },
      }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409, 409, 409,
  ])
})
