import { z } from 'zod'
import type { Context } from '../../../context.ts'
import { giveLease, takeLease } from '../../../platform/database/sender-lease.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import { findDue, findLateChannels } from './notice-queries.ts'
import { SEND_JOB } from './plan-notices.ts'
import { prepareMessage } from './prepare-message.ts'
import { recordOutcome } from './record-outcome.ts'
import { sendMessage } from './send-message.ts'
import { sendPush } from './senders/push.ts'

const Payload = z.object({ channel_id: z.int() })
const LATE_MS = 30_000

export function alertChannelsJobs(ctx: Context): Job[] {
  return [
    {
      name: SEND_JOB,
      run: (payload, signal) => sendDue(ctx, Payload.parse(payload).channel_id, signal),
    },
    {
      // Sends what a crashed process left behind.
      name: 'alert-channels.send-late',
      schedule: everyMinute,
      run: async (_, signal) => {
        const before = new Date(ctx.now().getTime() - LATE_MS).toISOString()
        for (const id of await findLateChannels(ctx.db, before)) await sendDue(ctx, id, signal)
      },
    },
  ]
}

/**
 * Sends the due notices of a channel, message after message. Each notice has a job that ends here. Only one process
 * sends on a channel at a time; the others leave their notices to it, so it checks once more after releasing the
 * channel. A crashed process blocks the channel for a minute at most; then another process runs its job and finds the
 * message in flight.
 */
async function sendDue(ctx: Context, channelId: number, signal: AbortSignal): Promise<void> {
  const sender = { table: 'alert_channels', id: channelId } as const
  do {
    if (!(await takeLease(ctx, sender))) return
    try {
      for (;;) {
        signal.throwIfAborted()
        const prepared = await prepareMessage(ctx, channelId)
        if (prepared === undefined) break
        const { settings, message, browsers } = prepared
        const outcome =
          settings.kind === 'push'
            ? await sendPush(ctx, browsers, message)
            : await sendMessage(settings, message, ctx.config.channelTargets)
        await recordOutcome(ctx, prepared, outcome)
      }
    } finally {
      await giveLease(ctx, sender)
    }
  } while ((await findDue(ctx.db, channelId, ctx.now().toISOString())).length > 0)
}
