import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { listAlerts } from '@muster/contract/api/alerts'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { openOverdue } from '../open-overdue.ts'
import { startRuns } from '../../runs/test-run.ts'

test('a machine that reconnects does not run the script that waited because it was offline', async () => {
  await using server = await createTestServer()
  using runs = await startRuns(server)
  const { agent, ada, site } = runs
  const { ctx, given } = server
  const caller = server.as(ada)
  // Otherwise it would be an alert of the whole site.
  await given.agent({ site_id: site.id, connected: 1, last_seen: new Date().toISOString() })
  const { id: action } = await given.script({ name: 'Clean up' })
  const { body: template } = await caller.call(createAlertTemplate, {
    body: { name: 'Night', action_type: 'script', action },
  })
  await caller.call(setDefaultTemplate, { body: { alert_template: template.id } })
  await agent.connect()
  await vi.waitFor(async () => expect(await connected()).toBe(1))
  agent.cut()
  await vi.waitFor(async () => expect(await connected()).toBe(0))
  await ctx.db
    .updateTable('agents')
    // Overdue only just now: an older alert would wait for the next report of the machine.
    .set({
      last_seen: new Date(Date.now() - 30 * 60_000 - 5000).toISOString(),
      overdue_time: 30,
      overdue_dashboard_alert: 1,
    })
    .where('agent_id', '=', agent.agentId)
    .execute()
  await openOverdue(ctx)
  await ctx.jobs.drain()
  expect(await stateOfRun()).toBe('queued')

  await agent.connect()
  await vi.waitFor(async () => expect(await stateOfRun()).toBe('cancelled'))
  const { body } = await caller.call(listAlerts, { body: { resolvedFilter: true } })
  expect(body.alerts).toMatchObject([{ alert_type: 'availability', state: 'resolved' }])
  // A later message arrives, and nothing came before it.
  const { id } = await runs.send()
  await agent.nextCommand(0)
  const sent = agent.frames.flatMap((frame) => (frame.type === 'command' ? [frame.command.payload] : []))
  expect(sent.filter((payload) => payload.includes('run-script'))).toEqual([])
  expect(sent.some((payload) => payload.includes(`${id}`))).toBe(true)

  async function connected(): Promise<number> {
    const row = ctx.db.selectFrom('agents').select('connected').where('agent_id', '=', agent.agentId)
    return (await row.executeTakeFirstOrThrow()).connected
  }

  async function stateOfRun(): Promise<string | undefined> {
    const run = ctx.db.selectFrom('agent_history').select('state').where('script_id', '=', action)
    return (await run.executeTakeFirst())?.state
  }
})
