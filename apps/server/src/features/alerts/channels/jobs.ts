import { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import { giveLease, takeLease } from './channel-lease.ts'
import { findDue, findLateChannels } from './notice-queries.ts'
import { SEND_JOB } from './plan-notices.ts'
import { prepareMessage } from './prepare-message.ts'
import { recordOutcome } from './record-outcome.ts'
import { sendMessage } from './send-message.ts'

const Payload = z.object({ channel_id: z.int() })
const LATE_MS = 30_000

export function alertChannelsJobs(ctx: Context): Job[] {
  return [
    {
      name: SEND_JOB,
      run: (payload, signal) => sendDue(ctx, Payload.parse(payload).channel_id, signal),
    },
    {
      // What a process left behind that died at the wrong moment.
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
 * Sends what is due on a channel, message after message. Each notice has a job that comes here, and only one process
 * at a time sends on a channel: the others leave it to that one, which therefore looks once more after it has given
 * the channel back. A process that dies in the middle holds the channel for a minute at most; then its job is run by
 * another and finds the message that was on its way.
 */
async function sendDue(ctx: Context, channelId: number, signal: AbortSignal): Promise<void> {
  do {
    if (!(await takeLease(ctx, channelId))) return
    try {
      for (;;) {
        signal.throwIfAborted()
        const prepared = await prepareMessage(ctx, channelId)
        if (prepared === undefined) break
        const { settings, message } = prepared
        await recordOutcome(ctx, prepared, await sendMessage(settings, message, ctx.config.channelTargets))
      }
    } finally {
      await giveLease(ctx, channelId)
    }
  } while ((await findDue(ctx.db, channelId, ctx.now().toISOString())).length > 0)
}
