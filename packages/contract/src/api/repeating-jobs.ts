import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { IdParams, Instant, Nothing } from '../fields.ts'
import { JobDraft, JobRepeat } from '../fleet-jobs/job-draft.ts'

/** A job that is planned again at each of its times; each time is a job of its own. */
export const RepeatingJob = JobRepeat.extend({
  id: z.int(),
  name: z.string(),
  /** `type` of the action. */
  action: z.string(),
  action_text: z.string(),
  target_text: z.string(),
  /** No job is planned until it is resumed. */
  paused: z.boolean(),
  /** When the next job is planned; null = never, or it is paused. */
  next_at: Instant.nullable(),
  /** By the clocks of machines: the local time at which they start, `2026-11-26T02:00`. */
  next_local: z.string().nullable(),
  /** When the last job was planned; null = none was yet. */
  last_at: Instant.nullable(),
  last_job: z.int().nullable(),
  /** Why the last time has no job, as a sentence. */
  last_problem: z.string().nullable(),
  created_by: z.string(),
  created_at: Instant,
  /** The last editor, with whose rights it runs; null = nobody, so those of the creator. */
  edited_by: z.string().nullable(),
  /** Its version, for edits. */
  modified: Instant,
})
export type RepeatingJob = z.infer<typeof RepeatingJob>

export const listRepeatingJobs = endpoint({
  method: 'GET',
  path: '/jobs/repeating/',
  access: 'can_list_agent_history',
  summary: 'List repeating jobs: all of them, or those of the caller if the role does not see every client',
  response: z.array(RepeatingJob),
})

export const getRepeatingJob = endpoint({
  method: 'GET',
  path: '/jobs/repeating/:id/',
  access: 'can_list_agent_history',
  summary: 'Get a repeating job with its draft, to edit it; refused without the permissions of its action',
  params: IdParams,
  response: RepeatingJob.extend({ draft: JobDraft }),
})

export const createRepeatingJob = endpoint({
  method: 'POST',
  path: '/jobs/repeating/',
  access: 'can_list_agents',
  summary:
    'Repeat a planned job. Each of its times is planned again with the rights that the creator has then. `start` of the draft is ignored',
  body: z.object({ draft: JobDraft, repeat: JobRepeat }),
  bodyLimit: 4 * 1024 * 1024,
  response: RepeatingJob,
})

export const changeRepeatingJob = endpoint({
  method: 'PUT',
  path: '/jobs/repeating/:id/',
  access: 'can_list_agent_history',
  summary:
    'Edit, pause or resume a repeating job; jobs that have started go on. An edited one runs with the rights of its editor. With `modified`, an edit is refused if another user has saved since',
  params: IdParams,
  body: z
    .object({ draft: JobDraft, repeat: JobRepeat, modified: z.string().max(100), paused: z.boolean() })
    .partial(),
  bodyLimit: 4 * 1024 * 1024,
  response: RepeatingJob,
})

export const deleteRepeatingJob = endpoint({
  method: 'DELETE',
  path: '/jobs/repeating/:id/',
  access: 'can_list_agent_history',
  summary: 'Delete a repeating job; its jobs stay',
  params: IdParams,
  response: Nothing,
})
