import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { expect, test } from 'vitest'
import { createTestServer } from '../testing/test-server.ts'
import { TestAgent } from '../features/agents/test-agent.ts'

test('spec, metrics: machines measure every 60 s by default, and a changed interval applies at once', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  using agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await expect(agent.connect()).resolves.toMatchObject({ type: 'welcome', metrics_interval: 60 })
  const permissions = ['can_view_core_settings', 'can_edit_core_settings'] as const
  const keeper = server.as(await server.given.user({ permissions: [...permissions] }))
  const from = agent.frames.length
  const { body } = await keeper.call(editCoreSettings, { body: { metrics_interval: 15 } })
  expect(body).toMatchObject({ metrics_interval: 15 })
  await agent.next((frame) => frame.type === 'settings' && frame.metrics_interval === 15, from)
  const [entry] = await server.ctx.db
    .selectFrom('audit_log')
    .select('message')
    .orderBy('id', 'desc')
    .execute()
  expect(entry?.message).toBe('Changed the metrics interval to 15 seconds')
  using later = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await expect(later.connect()).resolves.toMatchObject({ type: 'welcome', metrics_interval: 15 })
  for (const metrics_interval of [9, 3601, 12.5, '60']) {
    const refused = await keeper.send({
      method: 'PUT',
      url: '/core/settings/',
      payload: JSON.stringify({ metrics_interval }),
      headers: { 'content-type': 'application/json' },
    })
    expect([metrics_interval, refused.status]).toEqual([metrics_interval, 400])
  }
  expect((await keeper.call(getCoreSettings, {})).body).toMatchObject({ metrics_interval: 15 })
})
