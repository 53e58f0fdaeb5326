import { type AlertTemplateForm, createAlertTemplate } from '@muster/contract/api/alert-templates'
import type { Database } from '../../../platform/database/database.ts'
import type { OpenDatabase } from '../../../platform/database/open-database.ts'
import { prepareAlerts } from '../test-alerts.ts'

/** A server with an administrator, a machine with a check, and a stopped clock. */
export async function prepareTemplates(database?: OpenDatabase<Database>) {
  const bench = await prepareAlerts(database)
  const { server, ctx, given } = bench
  // Its settings are not those of a real channel. Tests that need one add it.
  await ctx.db.deleteFrom('alert_channels').execute()
  const client = await given.client({ name: 'Acme' })
  const site = await given.site({ client_id: client.id, name: 'Berlin' })
  const machine = await bench.machine({ site_id: site.id, hostname: 'PC-1', plat: 'linux' })
  const check = await bench.check(machine.agent_id)
  const caller = server.as(await given.user({ username: 'ada', superuser: true }))
  return {
    ...bench,
    newMachine: bench.machine,
    newCheck: bench.check,
    client,
    site,
    machine,
    check,
    caller,
    template: async (form: Partial<AlertTemplateForm> = {}) =>
      (await caller.call(createAlertTemplate, { body: { name: 'Night', ...form } })).body,
    script: (name = 'Clean up') => given.script({ name }),
    actions: () => ctx.db.selectFrom('alert_actions').selectAll().orderBy('id').execute(),
    logText: async (alertId: number) => {
      const rows = await ctx.db
        .selectFrom('alert_log')
        .select(['kind', 'text'])
        .where('alert_id', '=', alertId)
        .orderBy('id')
        .execute()
      return rows.map(({ kind, text }) => `${kind}: ${text}`)
    },
  }
}
