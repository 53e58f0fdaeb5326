import { ChannelSettings } from '@muster/contract/api/alert-channels'
import { expect } from 'vitest'
import type { Context } from '../../context.ts'
import { giveLease, takeLease } from '../../platform/database/sender-lease.ts'
import { prepareMessage } from './channels/prepare-message.ts'
import { recordOutcome } from './channels/record-outcome.ts'
import { sealSettings } from './channels/seal-settings.ts'

/** Delivered; refused; or delivered before the server crashes without recording it. */
export type SendingEnd = 'sent' | 'refused' | 'dies'

/** The receiver of all channels of a test: the deliveries by their ids. */
export async function createTestPost(first: Context) {
  const settings = ChannelSettings.parse({ kind: 'slack', url: 'https://hooks.example.com/services/T/B/x' })
  const { id: channelId } = await first.db
    .updateTable('alert_channels')
    .set({ settings: sealSettings(settings, first.secrets) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sender = { table: 'alert_channels', id: channelId } as const
  /** The ids of the messages that contained each notice. */
  const arrived = new Map<number, Set<string>>()
  return {
    /** Sends what is due, like the job. */
    send: async (ctx: Context, how: SendingEnd): Promise<void> => {
      if (!(await takeLease(ctx, sender))) return
      for (;;) {
        const prepared = await prepareMessage(ctx, channelId)
        if (prepared === undefined) break
        if (how !== 'refused') {
          for (const { id } of prepared.notices)
            arrived.set(id, (arrived.get(id) ?? new Set()).add(prepared.message.delivery))
        }
        if (how === 'dies') return
        const isTaken = how === 'sent'
        await recordOutcome(ctx, prepared, { ok: isTaken, answer: isTaken ? '200 OK' : 'It is down.' })
      }
      await giveLease(ctx, sender)
    },
    /** Each notice came in one message, and the start and end of each alert were sent once. */
    expectSentOnce: async (agentId: string): Promise<void> => {
      const notices = await first.db
        .selectFrom('alert_notices')
        .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
        .select([
          'alert_notices.id',
          'alert_id',
          'kind',
          'alerts.state',
          'alert_notices.state as notice',
          'unsure',
        ])
        .where('agent_id', '=', agentId)
        .execute()
      const came = (id: number) => arrived.get(id)?.size ?? 0
      for (const { id, notice, unsure } of notices) {
        if (notice === 'sent') expect(came(id)).toBe(1)
        else expect(came(id)).toBeLessThanOrEqual(unsure)
      }
      for (const [, ofAlert] of Map.groupBy(notices, ({ alert_id }) => alert_id)) {
        const delivered = ofAlert.filter(({ id }) => came(id) > 0)
        const count = (kind: string) => delivered.filter((one) => one.kind === kind).length
        const isOver = ofAlert[0]?.state === 'resolved'
        expect(count('opened')).toBeLessThanOrEqual(1)
        expect(ofAlert.some(({ notice }) => notice === 'waiting')).toBe(false)
        if (isOver && delivered.some(({ kind }) => kind !== 'resolved')) expect(count('resolved')).toBe(1)
        else if (isOver && ofAlert.some(({ unsure }) => unsure === 1))
          expect(count('resolved')).toBeLessThanOrEqual(1)
        else expect(count('resolved')).toBe(0)
      }
    },
  }
}
