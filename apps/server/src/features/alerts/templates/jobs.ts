import { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import { APPLY_JOB, applyTemplates } from './apply-templates.ts'
import { RUN_JOB } from './action-queries.ts'
import { type Deliverer, runAction } from './run-action.ts'
import { endForgottenActions } from './end-finished-actions.ts'

const Payload = z.object({ id: z.int() })

export function alertTemplatesJobs(ctx: Context, fleet: Deliverer): Job[] {
  return [
    { name: RUN_JOB, run: (payload, signal) => runAction(ctx, fleet, { ...Payload.parse(payload), signal }) },
    { name: APPLY_JOB, run: () => applyTemplates(ctx) },
    {
      name: 'alert-templates.look-after',
      schedule: everyMinute,
      run: async () => {
        await applyTemplates(ctx)
        await endForgottenActions(ctx)
      },
    },
  ]
}
