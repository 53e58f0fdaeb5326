import { z } from 'zod'
import type { Context } from '../../context.ts'
import { DeletionSteps } from '../../platform/database/deletion-steps.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { publishPresence } from './find-offline.ts'
import { SEND_JOB } from './publish.ts'
import { findLateWebhooks, sendDue } from './send-deliveries.ts'

const Payload = z.object({ webhook_id: z.int() })
const DAY_MS = 86_400_000
const KEEP_DAYS = { delivered: 7, failed: 30 } as const

export function webhooksJobs(ctx: Context): Job[] {
  return [
    { name: SEND_JOB, run: (payload, signal) => sendDue(ctx, Payload.parse(payload).webhook_id, signal) },
    {
      name: 'webhooks.send-late',
      schedule: everyMinute,
      // Jobs of their own, so that one receiver does not delay the others.
      run: async () => {
        for (const webhook_id of await findLateWebhooks(ctx)) await ctx.jobs.enqueue(SEND_JOB, { webhook_id })
      },
    },
    { name: 'webhooks.publish-presence', schedule: everyMinute, run: () => publishPresence(ctx) },
    {
      name: 'webhooks.remove-old',
      schedule: everyDay('03:25'),
      run: (_, signal) => removeOld(ctx, signal),
    },
  ]
}

async function removeOld(ctx: Context, signal: AbortSignal): Promise<void> {
  const steps = new DeletionSteps(ctx, signal)
  for (const state of ['delivered', 'failed'] as const) {
    const before = new Date(ctx.now().getTime() - KEEP_DAYS[state] * DAY_MS).toISOString()
    await steps.take(async (tx, limit) => {
      const old = tx
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('state', '=', state)
        .where('ended_at', '<', before)
        .limit(limit)
      const result = await tx.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst()
      return Number(result.numDeletedRows)
    })
  }
  ctx.log.info(steps.figures, 'old webhook deliveries deleted')
}
