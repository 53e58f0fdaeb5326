import { type AgentRow, editAgent, listAgents } from '@muster/contract/api/agents'
import { createTag, editTag, listTags } from '@muster/contract/api/tags'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const one = await given.agent({ hostname: 'kiosk-1' })
  const two = await given.agent({ hostname: 'kiosk-2' })
  await given.agent({ hostname: 'office-1' })
  const root = server.as(await given.user({ superuser: true }))
  const tagged = async () => {
    // A changed machine is evaluated a few seconds later.
    server.clock.advance(6)
    await server.ctx.jobs.drain()
    const { body } = await root.call(listAgents, { query: {} })
    // Without detail=false the list holds whole rows.
    return (body as AgentRow[]).filter(({ tags }) => tags.length > 0).map(({ hostname }) => hostname)
  }
  return { server, one, two, root, tagged, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('a rule tags the machines that match, and untags those that no longer do', async () => {
  await using prepared = await prepare()
  const { one, two, root, tagged } = prepared
  const { body: tag } = await root.call(createTag, { body: { name: 'reception', rule: 'name:kiosk-*' } })
  expect((await tagged()).toSorted()).toEqual(['kiosk-1', 'kiosk-2'])
  const params = { id: tag.id }
  await root.call(editTag, { params, body: { rule: 'name:kiosk-* description:front' } })
  expect(await tagged()).toEqual([])
  await root.call(editAgent, { params: { agent_id: one.agent_id }, body: { description: 'front desk' } })
  await expect.poll(tagged).toEqual(['kiosk-1'])
  // By hand as well: the rule takes only what it gave.
  await root.call(editAgent, { params: { agent_id: two.agent_id }, body: { own_tags: ['reception'] } })
  await root.call(editTag, { params, body: { rule: '' } })
  expect(await tagged()).toEqual(['kiosk-2'])
  expect((await root.call(listTags, { query: {} })).body).toMatchObject([{ rule: '', agent_count: 1 }])
})

test('a machine does not keep a tag because its rule finds the tag itself', async () => {
  await using prepared = await prepare()
  const { root, tagged, server, one } = prepared
  await root.call(createTag, { body: { name: 'kiosk', rule: 'kiosk' } })
  expect((await tagged()).toSorted()).toEqual(['kiosk-1', 'kiosk-2'])
  await server.ctx.db
    .updateTable('agents')
    .set({ hostname: 'renamed' })
    .where('agent_id', '=', one.agent_id)
    .execute()
  server.ctx.emit({ type: 'agent.changed', ids: [one.agent_id], agent_ids: [one.agent_id] })
  await expect.poll(tagged).toEqual(['kiosk-2'])
})

test.each([
  ['tag:vip', 'A rule cannot use the field tag.'],
  ['foo:bar', expect.stringContaining('foo') as string],
])('the rule %s is refused', async (rule, sentence) => {
  await using prepared = await prepare()
  const { root } = prepared
  const { status, error } = await root.call(createTag, { body: { name: 'x', rule } })
  expect([status, error.fields]).toEqual([400, { rule: [sentence] }])
})
