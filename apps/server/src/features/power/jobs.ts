import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { REBOOT_JOB } from './plan-reboot.ts'
import { rebootWhenDue } from './reboot-when-due.ts'

const Payload = z.object({ id: z.int() })

export function powerJobs(ctx: Context, fleet: Fleet): Job[] {
  return [{ name: REBOOT_JOB, run: (payload) => rebootWhenDue(ctx, fleet, Payload.parse(payload).id) }]
}
