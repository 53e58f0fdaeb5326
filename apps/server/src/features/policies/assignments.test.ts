import { listAgents, type AgentRow } from '@muster/contract/api/agents'
import {
  getPolicyOverview,
  listAssignedPolicies,
  listPolicyVersions,
  planAssignedPolicies,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { checkOf, contentOf, CPU, PING, prepareFleet } from './test-policies.ts'

const ping = (name: string) => contentOf([checkOf({ ...PING, name })])

describe.each(testEngines)('on $engine', ({ open }) => {
  test('spec, policies: policies of a target are assigned, ordered and removed, and machines follow', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { root, client, add, checks, srv, settle } = fleet
    const [a, b] = [
      await add({ name: 'A', content: ping('A') }),
      await add({ name: 'B', content: ping('B') }),
    ]
    const params = { level: 'client' as const, id: `${client.id}` }
    const set = async (...ids: number[]) => {
      const policies = ids.map((id) => ({ id, monitoring_type: null }))
      const answer = await root.call(setAssignedPolicies, { params, body: { policies } })
      await settle()
      return answer.body.policies.map(({ name }) => name)
    }
    const names = async () => (await checks()).map(({ settings }) => 'name' in settings && settings.name)
    expect(await set(a.id, b.id)).toEqual(['A', 'B'])
    expect(await names()).toEqual(['A'])
    expect(await set(b.id, a.id)).toEqual(['B', 'A'])
    expect(await names()).toEqual(['B'])
    expect((await fleet.effective()).items[0]).toMatchObject({
      overrode: [{ lost: 'earlier', source: { policy_name: 'A' } }],
    })
    expect(await set(a.id)).toEqual(['A'])
    expect(await names()).toEqual(['A'])
    const versions = await root.call(listPolicyVersions, { params: { id: b.id } })
    // The order is not part of the policy itself.
    expect(versions.body.map(({ reason }) => reason)).toEqual([
      'No longer assigned to the client "Nordwind"',
      'Assigned to the client "Nordwind"',
      '',
    ])
    const policies = [{ id: b.id, monitoring_type: 'server' as const }]
    await root.call(setAssignedPolicies, { params, body: { policies } })
    await settle()
    expect(await checks()).toEqual([])
    expect(await checks(srv)).toHaveLength(1)
  })
})

test('the overview shows the assignments of each client and site', async () => {
  await using fleet = await prepareFleet()
  const { root, client, site, add, server } = fleet
  const base = await add({
    name: 'Base',
    targets: [
      { level: 'client', id: client.id, monitoring_type: null },
      { level: 'site', id: site.id, monitoring_type: 'server' },
    ],
  })
  const other = await server.given.client({ name: 'Other' })
  await server.given.site({ client_id: other.id, name: 'Hidden' })
  const { body } = await root.call(getPolicyOverview, {})
  expect(body).toMatchObject([
    {
      name: 'Nordwind',
      server_policy: base.id,
      workstation_policy: base.id,
      policies: [{ name: 'Base', active: true, monitoring_type: null }],
      sites: [
        {
          name: 'Bern',
          server_policy: base.id,
          workstation_policy: null,
          policies: [{ name: 'Base', monitoring_type: 'server' }],
        },
      ],
    },
    { name: 'Other', policies: [], sites: [{ name: 'Hidden', policies: [] }] },
  ])
  const bob = server.as(
    await server.given.user({ permissions: ['can_list_automation_policies'], sites: [site.id] }),
  )
  expect((await bob.call(getPolicyOverview, {})).body.map(({ name }) => name)).toEqual(['Nordwind'])
})

test('a plan shows the effect of another list, and a stale one is refused', async () => {
  await using fleet = await prepareFleet()
  const { root, pc, add, checks } = fleet
  const base = await add({ name: 'Base', content: contentOf([checkOf(CPU)]) })
  const other = await add({ name: 'Other', content: ping('Other') })
  const params = { level: 'agent' as const, id: pc.agent_id }
  const policies = [{ id: base.id, monitoring_type: null }]
  const { body: plan } = await root.call(planAssignedPolicies, { params, body: { policies } })
  expect(plan).toMatchObject({ agents_count: 1, lines: [{ change: 'added', kind: 'checks' }] })
  const { body: assignment } = await root.call(listAssignedPolicies, { params })
  expect(assignment).toMatchObject({ name: 'PC-12', policies: [] })
  const third = [{ id: other.id, monitoring_type: null }]
  await root.call(setAssignedPolicies, { params, body: { policies: third } })
  for (const proof of [{ plan: plan.token }, { modified: assignment.modified }]) {
    const { error } = await root.call(setAssignedPolicies, { params, body: { policies, ...proof } })
    expect(error?.code).toBe('changed_meanwhile')
  }
  const again = await root.call(planAssignedPolicies, { params, body: { policies } })
  await root.call(setAssignedPolicies, { params, body: { policies, plan: again.body.token } })
  await fleet.settle()
  expect(await checks()).toMatchObject([{ policy: base.id }])
  const { body } = await root.call(listAgents, { query: {} })
  // Rows, without `detail=false`.
  expect((body as AgentRow[]).find(({ agent_id }) => agent_id === pc.agent_id)?.policy).toBe(base.id)
})

test('hidden targets and policies are refused, and so are invalid lists', async () => {
  await using fleet = await prepareFleet()
  const { root, server, client, site, add } = fleet
  const base = await add({ name: 'Base', targets: [{ level: 'default', monitoring_type: null }] })
  const listed = { id: base.id, monitoring_type: null }
  const at = (level: 'client' | 'site' | 'agent' | 'default', id: string) => ({ level, id })
  const refusals = [
    [at('client', '999'), [listed], 'not_found'],
    [at('site', "1' or 1=1"), [listed], 'not_found'],
    [at('agent', 'nobody00000'), [listed], 'not_found'],
    [at('client', `${client.id}`), [listed, listed], 'invalid'],
    [at('client', `${client.id}`), [{ id: 999, monitoring_type: null }], 'not_found'],
  ] as const
  for (const [params, policies, code] of refusals) {
    const { error } = await root.call(setAssignedPolicies, { params, body: { policies: [...policies] } })
    expect(error?.code).toBe(code)
  }
  const other = await server.given.client({ name: 'Other' })
  const hidden = await server.given.site({ client_id: other.id, name: 'Hidden' })
  const bob = server.as(
    await server.given.user({
      permissions: ['can_list_automation_policies', 'can_manage_automation_policies'],
      clients: [client.id],
    }),
  )
  const asBob = async (params: ReturnType<typeof at>) =>
    (await bob.call(setAssignedPolicies, { params, body: { policies: [listed] } })).error?.code
  expect(await asBob(at('site', `${hidden.id}`))).toBe('not_found')
  expect(await asBob(at('default', 'all'))).toBe('not_allowed')
  // It also applies to all other machines.
  expect(await asBob(at('site', `${site.id}`))).toBe('not_allowed')
})
