import { editAgent } from '@muster/contract/api/agents'
import { createPolicy, listPolicyVersions } from '@muster/contract/api/policies'
import {
  createAlertTemplate,
  deleteAlertTemplate,
  editAlertTemplate,
  getRelatedToTemplate,
  previewAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { editClient, editSite } from '@muster/contract/api/clients'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { openTemplateResolver } from '../alerts/templates/template-resolver.ts'
import { contentOf, documentOf, prepareFleet } from './test-policies.ts'

async function prepare(...options: Parameters<typeof prepareFleet>) {
  const fleet = await prepareFleet(...options)
  const { root, pc, client, site } = fleet
  return {
    ...fleet,
    atClient: { level: 'client' as const, id: client.id, monitoring_type: null },
    atSite: { level: 'site' as const, id: site.id, monitoring_type: null },
    template: async (name: string) =>
      (await root.call(createAlertTemplate, { body: { name, check_always_alert: false } })).body,
    preview: async () =>
      (
        await root.call(previewAlertTemplate, {
          query: { agent: pc.agent_id, alert_type: 'check', severity: 'error' },
        })
      ).body,
    itemOf: async () => (await fleet.effective()).items.find(({ kind }) => kind === 'alert_template'),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}
const naming = (alert_template: number | null) => ({ ...contentOf([]), alert_template })

describe.each(testEngines)('on $engine', ({ open }) => {
  test('spec, policies: a policy gives its machines an alert template, and removes it again', async () => {
    await using database = await open<Database>()
    await using fleet = await prepare(database)
    const { add, edit, template, preview, itemOf, atClient } = fleet
    const night = await template('Night')
    expect(await preview()).toMatchObject({ template: null, bell: true })
    const policy = await add({ name: 'Base', content: naming(night.id), targets: [atClient] })
    expect(await preview()).toMatchObject({
      template: { name: 'Night' },
      bell: false,
      chain: [{ source: 'client_policy', at: 'Base', policy: policy.id, outcome: 'applies' }],
    })
    expect(await itemOf()).toMatchObject({
      what: 'Night',
      source: { own: false, policy_name: 'Base', level: 'client' },
      overrode: [],
    })
    await edit(policy.id, { content: naming(null) })
    expect(await preview()).toMatchObject({ template: null, bell: true, chain: [] })
    expect(await itemOf()).toBeUndefined()
  })
})

test('policies rank with direct assignments to the same target, and an enforced one wins', async () => {
  await using fleet = await prepare()
  const { add, edit, template, itemOf, preview, root, pc, client, site, atClient, atSite, settle } = fleet
  const named = await Promise.all(['P-site', 'P-client', 'A', 'S', 'C', 'D'].map(template))
  const [ofSite, ofClient, a, s, c, d] = named.map(({ id }) => id)
  await root.call(setDefaultTemplate, { body: { alert_template: d ?? null } })
  const fromSource = async () => {
    await settle()
    const item = await itemOf()
    expect((await preview()).template?.name).toBe(item?.what)
    return [item?.what, ...(item?.overrode.map(({ what }) => what) ?? [])]
  }
  expect(await fromSource()).toEqual(['D'])
  expect(await itemOf()).toMatchObject({ source: { own: true, place: 'default' } })
  await root.call(editClient, { params: { id: client.id }, body: { client: { alert_template: c } } })
  const lower = await add({ name: 'Lower', content: naming(ofClient ?? null), targets: [atClient] })
  expect(await fromSource()).toEqual(['P-client', 'C', 'D'])
  await root.call(editSite, { params: { id: site.id }, body: { site: { alert_template: s } } })
  await add({ name: 'Upper', content: naming(ofSite ?? null), targets: [atSite] })
  expect(await fromSource()).toEqual(['P-site', 'S', 'P-client', 'C', 'D'])
  expect((await itemOf())?.overrode[0]).toMatchObject({
    lost: 'nearer',
    source: { own: true, place: 'site' },
  })
  await root.call(editAgent, { params: { agent_id: pc.agent_id }, body: { alert_template: a } })
  expect(await fromSource()).toEqual(['A', 'P-site', 'S', 'P-client', 'C', 'D'])
  await edit(lower.id, { enforced: true })
  expect(await fromSource()).toEqual(['P-client', 'A', 'P-site', 'S', 'C', 'D'])
  expect((await itemOf())?.overrode[0]).toMatchObject({ lost: 'enforced', source: { own: true } })
})

test('a plan shows whose template changes, and so does the history', async () => {
  await using fleet = await prepare()
  const { add, template, plan, root, edit, atClient } = fleet
  const [night, day] = [await template('Night'), await template('Day')]
  const policy = await add({ name: 'Base', content: naming(night.id), targets: [atClient] })
  const planned = await plan(policy.id, { ...documentOf(policy), content: naming(day.id) })
  expect(planned).toMatchObject({
    agents_count: 2,
    lines: [{ kind: 'alert_template', change: 'changed', what: 'Day', agents_count: 2 }],
  })
  await edit(policy.id, { content: naming(day.id) })
  const { body } = await root.call(listPolicyVersions, { params: { id: policy.id } })
  expect(body.map(({ policy: { content } }) => content.alert_template)).toEqual([day.id, night.id])
  const related = await root.call(getRelatedToTemplate, { params: { id: day.id } })
  expect(related.body.policies).toEqual([{ id: policy.id, name: 'Base' }])
})

test('an inactive template is skipped and reported, and a deleted one is ignored', async () => {
  await using fleet = await prepare()
  const { add, template, effective, itemOf, preview, root, atClient, atSite } = fleet
  const [near, far] = [await template('Near'), await template('Far')]
  const policy = await add({ name: 'Base', content: naming(near.id), targets: [atSite] })
  const params = { id: near.id }
  await root.call(editAlertTemplate, { params, body: { is_active: false } })
  expect((await effective()).unfit).toMatchObject([
    { kind: 'alert_template', what: 'Near', why: 'inactive', source: { policy: policy.id } },
  ])
  await add({ name: 'Wide', content: naming(far.id), targets: [atClient] })
  expect(await itemOf()).toMatchObject({
    what: 'Far',
    overrode: [{ what: 'Near', lost: 'inactive' }],
  })
  await root.call(deleteAlertTemplate, { params })
  expect(await itemOf()).toMatchObject({ what: 'Far', overrode: [] })
  expect((await preview()).chain).toHaveLength(1)
  // Its template was deleted, which does not prevent other changes.
  expect(await fleet.edit(policy.id, { desc: 'Still there' })).toMatchObject({
    content: { alert_template: near.id },
  })
  const { error } = await root.call(createPolicy, {
    body: { name: 'Other', content: naming(near.id) },
  })
  expect(error).toMatchObject({
    code: 'invalid',
    fields: { 'content.alert_template': ['This alert template does not exist.'] },
  })
})

test('an alert of a whole site follows the policies for all types of machines', async () => {
  await using fleet = await prepare()
  const { add, template, server, client, site, atSite, atClient } = fleet
  const [servers, all] = [await template('Servers'), await template('All')]
  await add({
    name: 'Servers',
    content: naming(servers.id),
    targets: [
      { ...atSite, monitoring_type: 'server' },
      { level: 'search', search: 'pc' },
    ],
  })
  await add({ name: 'All', content: naming(all.id), targets: [atClient] })
  const { policy_templates } = await server.ctx.db
    .selectFrom('sites')
    .select('policy_templates')
    .where('id', '=', site.id)
    .executeTakeFirstOrThrow()
  const book = await openTemplateResolver(server.ctx.db)
  const { applies } = book.resolve({
    agent_id: null,
    monitoring_type: null,
    place_id: site.id,
    client_id: client.id,
    agent_template: null,
    site_template: null,
    client_template: null,
    policy_templates,
  })
  expect(applies?.name).toBe('All')
})
