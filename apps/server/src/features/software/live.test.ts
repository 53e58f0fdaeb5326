import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { openConsole } from '../live/test-console.ts'
import { storeSoftware } from './store-software.ts'
import { known, reportOf } from './test-software.ts'

test('consoles learn at once of changed software of visible machines', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { ctx, given } = server
  const mine = await given.agent()
  const other = await given.agent()
  const site = await ctx.db.selectFrom('sites').select('client_id').where('id', '=', mine.site_id).executeTakeFirstOrThrow() // prettier-ignore
  using limited = await openConsole(
    server,
    url,
    await given.user({ permissions: PERMISSIONS, clients: [site.client_id] }),
  )
  using blind = await openConsole(server, url, await given.user({ permissions: ['can_list_agents'] }))
  const report = (version: string) => reportOf([known('vim', version)])
  for (const [agent, version] of [
    [other, '1'],
    [mine, '1'],
  ] as const)
    // prettier-ignore
    await ctx.transaction((tx, emit) =>
      storeSoftware(tx, emit, {
        reports: [{ agentId: agent.agent_id, report: report(version) }],
        now: ctx.now(),
      }),
    )
  ctx.emit({ type: 'agent.changed', ids: [mine.agent_id], agent_ids: [mine.agent_id] })
  const { events } = await limited.next('changed', (message) =>
    message.events.some(({ type }) => type === 'software.changed'),
  )
  for (const type of ['software.changed', 'software.scanned'])
    expect(events).toContainEqual({ type, ids: [mine.agent_id] })
  const changed = await blind.next('changed')
  expect(changed.events.map(({ type }) => type)).not.toContain('software.changed')
})
