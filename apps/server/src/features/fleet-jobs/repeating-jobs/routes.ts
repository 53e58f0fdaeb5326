import {
  changeRepeatingJob,
  createRepeatingJob,
  deleteRepeatingJob,
  getRepeatingJob,
  listRepeatingJobs,
} from '@muster/contract/api/repeating-jobs'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import {
  addRepeatingJob,
  editRepeatingJob,
  findRepeatingJobs,
  pauseRepeatingJob,
  readRepeatingJob,
  removeRepeatingJob,
} from './repeating-jobs.ts'

export function repeatingJobRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listRepeatingJobs, ({ caller }) => findRepeatingJobs(ctx, caller))

  route(api, createRepeatingJob, ({ body, caller }) => addRepeatingJob(ctx, fleet, caller, body))

  route(api, getRepeatingJob, ({ params, caller }) => readRepeatingJob(ctx, caller, params.id))

  route(api, changeRepeatingJob, async ({ params: { id }, body, caller }) => {
    const { paused, ...edit } = body
    if (edit.draft !== undefined || edit.repeat !== undefined)
      await editRepeatingJob(ctx, fleet, caller, { id, ...edit })
    if (paused !== undefined) await pauseRepeatingJob(ctx, caller, { id, paused })
    const { draft: _, ...job } = await readRepeatingJob(ctx, caller, id)
    return job
  })

  route(api, deleteRepeatingJob, async ({ params, caller }) => {
    await removeRepeatingJob(ctx, caller, params.id)
    return null
  })
}
