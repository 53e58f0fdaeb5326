import { editAgent, getAgent } from '@muster/contract/api/agents'
import { createAlertTemplate, getRelatedToTemplate } from '@muster/contract/api/alert-templates'
import { editPolicy, listAssignedPolicies, setAssignedPolicies } from '@muster/contract/api/policies'
import { editClient, editSite, getClient, getSite } from '@muster/contract/api/clients'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { PERMISSIONS } from '@muster/contract/permissions'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import type { Listed } from './assignment-list.ts'
import { withFirst } from './assignment-fields.ts'
import { checkOf, contentOf, PING, prepareFleet } from './test-policies.ts'

const ping = (name: string) => contentOf([checkOf({ ...PING, name })])

describe.each(testEngines)('on $engine', ({ open }) => {
  test('policies of a client, a site and a machine are set with their other fields', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { root, client, site, pc, srv, add, checks, settle, server } = fleet
    const a = await add({ name: 'A', content: ping('A') })
    const b = await add({ name: 'B', content: ping('B') })
    const names = async (agent = pc) =>
      (await checks(agent)).map(({ settings }) => 'name' in settings && settings.name)

    const ofClient = await root.call(editClient, {
      params: { id: client.id },
      body: { client: { server_policy: a.id } },
    })
    await settle()
    expect(ofClient.body).toMatchObject({ server_policy: a.id, workstation_policy: null })
    expect([await names(srv), await names(pc)]).toEqual([['A'], []])

    const ofSite = await root.call(editSite, {
      params: { id: site.id },
      body: { site: { workstation_policy: b.id, block_policy_inheritance: true } },
    })
    await settle()
    expect(ofSite.body).toMatchObject({ workstation_policy: b.id, block_policy_inheritance: true })
    expect([await names(srv), await names(pc)]).toEqual([[], ['B']])

    const params = { agent_id: pc.agent_id }
    const ofAgent = await root.call(editAgent, {
      params,
      body: { policy: a.id, block_policy_inheritance: true },
    })
    await settle()
    expect(ofAgent.body).toMatchObject({ policy: a.id, block_policy_inheritance: true })
    expect(await names(pc)).toEqual(['A'])

    await root.call(editAgent, { params, body: { policy: null } })
    await settle()
    expect((await root.call(getAgent, { params })).body.policy).toBeNull()
    expect(await names(pc)).toEqual([])
    const audit = await server.ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
    expect(audit.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'Changed the policies of the client "Nordwind"',
        'Changed the policies of the site "Bern"',
        'Blocked inherited policies for the site "Bern"',
        'Changed the policies of the machine "PC-12"',
        'Blocked inherited policies for the machine "PC-12"',
      ]),
    )
  })

  test('the global settings contain the default policies and the default alert template', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { root, pc, srv, add, checks, settle, server } = fleet
    const a = await add({ name: 'A', content: ping('A') })
    const b = await add({ name: 'B', content: ping('B') })
    const { body: template } = await root.call(createAlertTemplate, { body: { name: 'Night' } })
    const names = async (agent = pc) =>
      (await checks(agent)).map(({ settings }) => 'name' in settings && settings.name)
    const none = { server_policy: null, workstation_policy: null, alert_template: null }
    expect((await root.call(getCoreSettings, {})).body).toMatchObject(none)

    const wanted = { server_policy: a.id, workstation_policy: b.id, alert_template: template.id }
    const saved = await root.call(editCoreSettings, { body: { ...wanted, metrics_interval: 30 } })
    await settle()
    expect(saved.body).toMatchObject({ ...wanted, metrics_interval: 30 })
    expect((await root.call(getCoreSettings, {})).body).toEqual(saved.body)
    expect([await names(srv), await names(pc)]).toEqual([['A'], ['B']])
    const { body: related } = await root.call(getRelatedToTemplate, { params: { id: template.id } })
    expect(related.default_template).toBe(true)

    expect((await root.call(editCoreSettings, { body: none })).body).toMatchObject(none)
    await settle()
    expect([await names(srv), await names(pc)]).toEqual([[], []])
    const audit = await server.ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
    expect(audit.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'Changed the policies of all machines',
        'Set the default alert template to "Night"',
        'Removed the default alert template',
      ]),
    )
  })
})

test('default policies and the default alert template require their own permissions', async () => {
  await using fleet = await prepareFleet()
  const { server, root, add } = fleet
  const policy = await add({ name: 'A' })
  const { body: template } = await root.call(createAlertTemplate, { body: { name: 'Night' } })
  const keeper = server.as(await server.given.user({ permissions: ['can_edit_core_settings'] }))
  const refused = [
    { server_policy: policy.id, metrics_interval: 30 },
    { alert_template: template.id, metrics_interval: 30 },
  ]
  for (const body of refused)
    expect(await keeper.call(editCoreSettings, { body })).toMatchObject({ status: 403 })
  expect((await root.call(getCoreSettings, {})).body.metrics_interval).toBe(60)
  const same = { server_policy: null, workstation_policy: null, alert_template: null, metrics_interval: 30 }
  expect((await keeper.call(editCoreSettings, { body: same })).body.metrics_interval).toBe(30)
  const unknown = await root.call(editCoreSettings, { body: { alert_template: 99 } })
  expect(unknown.error).toMatchObject({ code: 'invalid', fields: { alert_template: [expect.any(String)] } })
  expect((await root.call(editCoreSettings, { body: { server_policy: 99 } })).error.code).toBe('not_found')
})

test('a first policy replaces the first for its type of machine, and the others stay', async () => {
  await using fleet = await prepareFleet()
  const { root, client, add } = fleet
  const [a, b, c] = [await add({ name: 'A' }), await add({ name: 'B' }), await add({ name: 'C' })]
  const params = { level: 'client' as const, id: `${client.id}` }
  const policies = [a, b].map(({ id }) => ({ id, monitoring_type: null }))
  await root.call(setAssignedPolicies, { params, body: { policies } })
  await root.call(editClient, { params: { id: client.id }, body: { client: { server_policy: c.id } } })
  const listed = (await root.call(listAssignedPolicies, { params })).body.policies
  expect(listed.map(({ name, monitoring_type }) => [name, monitoring_type])).toEqual([
    ['C', 'server'],
    ['A', 'workstation'],
    ['B', null],
  ])
  expect((await root.call(getClient, { params: { id: client.id } })).body).toMatchObject({
    server_policy: c.id,
    workstation_policy: a.id,
  })
})

const both = (id: number): Listed => ({ id, monitoring_type: null })
const servers = (id: number): Listed => ({ id, monitoring_type: 'server' })
const workstations = (id: number): Listed => ({ id, monitoring_type: 'workstation' })
test.each<[string, Listed[], 'server' | undefined, number | null, Listed[]]>([
  ['none where none is', [workstations(1)], 'server', null, [workstations(1)]],
  ['the same', [both(1), both(2)], 'server', 1, [both(1), both(2)]],
  ['the first of all', [], 'server', 1, [servers(1)]],
  ['none for servers', [both(1), servers(2)], 'server', null, [workstations(1)]],
  ['one that stands later', [both(1), both(2)], 'server', 2, [servers(2), workstations(1), workstations(2)]],
  ['another of a machine', [both(1), both(2)], undefined, 3, [both(3), both(2)]],
  ['none of a machine', [both(1), both(2)], undefined, null, []],
])('the list of policies with %s', (_, list, slot, id, expected) => {
  expect(withFirst(list, slot, id)).toEqual(expected)
})

test('policies of a target require the permission for policies', async () => {
  await using fleet = await prepareFleet()
  const { server, client, site, pc, add, root } = fleet
  const policy = await add({ name: 'A' })
  const permissions = PERMISSIONS.filter((name) => name !== 'can_manage_automation_policies')
  const ada = server.as(await server.given.user({ permissions }))
  const params = { agent_id: pc.agent_id }
  const answers = [
    await ada.call(editClient, { params: { id: client.id }, body: { client: { server_policy: policy.id } } }),
    await ada.call(editSite, {
      params: { id: site.id },
      body: { site: { name: 'Basel', block_policy_inheritance: true } },
    }),
    await ada.call(editAgent, { params, body: { description: 'changed', policy: policy.id } }),
  ]
  for (const { status, error } of answers) expect([status, error.code]).toEqual([403, 'not_allowed'])
  expect((await root.call(getSite, { params: { id: site.id } })).body.name).toBe('Bern')
  expect((await root.call(getAgent, { params })).body.description).not.toBe('changed')
  const same = { description: 'changed', policy: null, block_policy_inheritance: false }
  expect((await ada.call(editAgent, { params, body: same })).body.description).toBe('changed')
})

test('a policy accepts its alert template next to its content, and a template its repetition in days', async () => {
  await using fleet = await prepareFleet()
  const { root, add } = fleet
  const body = { name: 'Night', check_periodic_alert_days: 2 }
  const { body: template } = await root.call(createAlertTemplate, { body })
  expect(template.check_periodic_alert_minutes).toBe(2 * 1440)
  const policy = await add({ name: 'A', content: ping('A') })
  const params = { id: policy.id }
  const given = await root.call(editPolicy, { params, body: { alert_template: template.id } })
  expect(given.body.content).toMatchObject({ alert_template: template.id, checks: [{ id: 1 }] })
  const taken = await root.call(editPolicy, { params, body: { alert_template: null } })
  expect(taken.body.content.alert_template).toBeNull()
})
