import { type AgentRow, editAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { deletePolicy } from '@muster/contract/api/policies'
import { listClients, listSites } from '@muster/contract/api/clients'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { contentOf, prepareFleet } from './test-policies.ts'

describe.each(testEngines)('on $engine', ({ open }) => {
  test('rows of machines, clients and sites show their policies and alert templates', async () => {
    await using database = await open<Database>()
    await using fleet = await prepareFleet(database)
    const { root, pc, srv, client, site, add, edit, settle } = fleet
    const rowOf = async ({ agent_id }: { agent_id: string }) => {
      const { body } = await root.call(listAgents, { query: {} })
      // Rows, without `detail=false`.
      return (body as AgentRow[]).find((row) => row.agent_id === agent_id)
    }
    const template = async (name: string) =>
      (await root.call(createAlertTemplate, { body: { name, agent_always_email: true } })).body
    const [night, day] = [await template('Night'), await template('Day')]
    expect(await rowOf(pc)).toMatchObject({ policy: null, alert_template: null })
    await root.call(setDefaultTemplate, { body: { alert_template: day.id } })
    expect(await rowOf(pc)).toMatchObject({ alert_template: { name: 'Day' } })
    const base = await add({
      name: 'Base',
      content: { ...contentOf([]), alert_template: night.id },
      targets: [
        { level: 'client', id: client.id, monitoring_type: 'server' },
        { level: 'site', id: site.id, monitoring_type: null },
      ],
    })
    const own = await add({ name: 'Own', targets: [{ level: 'agent', id: pc.agent_id }] })
    expect(await rowOf(pc)).toMatchObject({
      policy: own.id,
      alert_template: {
        id: night.id,
        name: 'Night',
        always_email: true,
        always_text: null,
        always_alert: null,
      },
    })
    expect(await rowOf(srv)).toMatchObject({ policy: null, alert_template: { name: 'Night' } })
    const detail = await root.call(getAgent, { params: { agent_id: pc.agent_id } })
    expect(detail.body).toMatchObject({
      policy: own.id,
      alert_template: null,
      effective_alert_template: { name: 'Night' },
      applied_policies: [
        { id: own.id, name: 'Own', level: 'agent', enforced: false },
        { id: base.id, name: 'Base', level: 'site', enforced: false },
      ],
    })
    expect((await root.call(listClients, { query: {} })).body).toMatchObject([
      { server_policy: base.id, workstation_policy: null },
    ])
    expect((await root.call(listSites, { query: {} })).body).toMatchObject([
      { server_policy: base.id, workstation_policy: base.id },
    ])
    await root.call(editAgent, { params: { agent_id: pc.agent_id }, body: { alert_template: day.id } })
    expect(await rowOf(pc)).toMatchObject({ alert_template: { name: 'Day' } })
    await root.call(deletePolicy, { params: { id: own.id }, query: {} })
    await edit(base.id, { active: false })
    await settle()
    expect(await rowOf(srv)).toMatchObject({ alert_template: { name: 'Day' } })
    expect(await rowOf(pc)).toMatchObject({ policy: null })
  })
})

test('without the permission to list policies, rows do not show them', async () => {
  await using fleet = await prepareFleet()
  const { server, pc, client, add } = fleet
  await add({ name: 'Base', targets: [{ level: 'client', id: client.id, monitoring_type: null }] })
  const bob = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const { body } = await bob.call(getAgent, { params: { agent_id: pc.agent_id } })
  expect(body.applied_policies).toEqual([])
})
