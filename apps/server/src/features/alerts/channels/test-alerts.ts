import { ChannelRules, ChannelSettings } from '@muster/contract/api/alert-channels'
import type { Insertable, Selectable } from 'kysely'
import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { AlertsTable } from '../../../platform/database/tables/alerts.ts'
import type { NoticeKind } from './decide-notice.ts'
import { planNotices } from './plan-notices.ts'
import { sealSettings } from './seal-settings.ts'

type AlertRow = Selectable<AlertsTable>

/** Inserts alerts and channels, and plans notices like the engine. */
export function createAlertBench(ctx: Context) {
  let count = 0
  const at = () => ctx.now().toISOString()
  return {
    channel: async (
      settings: z.input<typeof ChannelSettings>,
      rules: Partial<ChannelRules> = {},
      name = `Channel ${(count += 1)}`,
    ) =>
      ctx.db
        .insertInto('alert_channels')
        .values({
          name,
          settings: sealSettings(ChannelSettings.parse(settings), ctx.secrets),
          rules: JSON.stringify(ChannelRules.parse(rules)),
          created_at: at(),
          modified: at(),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    alert: async (fields: Partial<Insertable<AlertsTable>> = {}): Promise<AlertRow> => {
      const cause = `custom:${(count += 1)}`
      return ctx.db
        .insertInto('alerts')
        .values({
          cause,
          open_cause: cause,
          alert_type: 'custom',
          state: 'open',
          severity: 'error',
          message: `Alert ${count}`,
          agent_id: null,
          check_id: null,
          site_id: null,
          alert_time: at(),
          acknowledged_by: '',
          resolved_by: '',
          flapping: 0,
          created_at: at(),
          modified: at(),
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },
    /** Changes the alert and plans its notices in one transaction. */
    notify: (alert: Pick<AlertRow, 'id'>, kind: NoticeKind, change: Partial<Insertable<AlertsTable>> = {}) =>
      ctx.transaction(async (tx) => {
        const row = await tx
          .updateTable('alerts')
          .set({ modified: at(), ...change })
          .where('id', '=', alert.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await planNotices(ctx, tx, [{ alert: row, kind }])
      }),
    change: (alert: Pick<AlertRow, 'id'>, change: Partial<Insertable<AlertsTable>>) =>
      ctx.db.updateTable('alerts').set(change).where('id', '=', alert.id).execute(),
    /** The log of an alert as `kind: text`. */
    log: async ({ id }: Pick<AlertRow, 'id'>) => {
      const rows = await ctx.db
        .selectFrom('alert_log')
        .selectAll()
        .where('alert_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(({ kind, text }) => `${kind}: ${text}`)
    },
    notices: () => ctx.db.selectFrom('alert_notices').selectAll().orderBy('id').execute(),
  }
}

export function webhookTo(url: string): Extract<ChannelSettings, { kind: 'webhook' }> {
  return { kind: 'webhook', url, method: 'POST', headers: [], secret: 's', body_template: '' }
}

export const RESOLVED = {
  state: 'resolved',
  open_cause: null,
  resolved_on: '2026-11-21T12:05:00.000Z',
} as const
