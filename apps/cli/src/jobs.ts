import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FleetJob,
  type FleetJobDetail,
  getFleetJob,
  type JobGroup,
  listFleetJobs,
} from '@muster/contract/api/fleet-jobs'
import { formatRelativeTime } from '@muster/rules/text/units'
import { type Context, note, print, printJson, printList, widthOf } from './output.ts'
import { type Column, formatFields, formatTable } from './text.ts'

const POLL_MS = 2000
/** A halted job goes on only if a user resumes it. */
const ENDED = ['done', 'stopped', 'halted']

const COLUMNS: readonly Column<FleetJob>[] = [
  ['ID', ({ id }) => String(id)],
  ['STATE', ({ state }) => state],
  ['NAME', ({ name }) => name],
  ['OK', ({ counts }) => String(counts.succeeded)],
  ['FAILED', ({ counts }) => String(counts.failed)],
  ['LEFT', ({ counts }) => String(counts.running + counts.waiting)],
  ['SKIPPED', ({ counts }) => String(counts.skipped)],
  ['BY', ({ created_by }) => created_by],
  ['CREATED', ({ created_at }) => formatRelativeTime(created_at, Date.now())],
]

const GROUP_COLUMNS: readonly Column<JobGroup>[] = [
  ['MACHINES', ({ count }) => String(count)],
  ['STATE', ({ state }) => state],
  ['EXIT CODE', ({ retcode }) => (retcode === null ? '' : String(retcode))],
  ['OUTPUT', ({ line }) => line],
]

/** The newest first. */
export async function listJobs(
  context: Context,
  { limit, watchSeconds }: { limit: number; watchSeconds: number | undefined },
): Promise<void> {
  await printList(context, {
    read: async () =>
      (await context.client.callPage(listFleetJobs, { query: { page: 1, page_size: limit } })).results,
    columns: COLUMNS,
    empty: 'No jobs.',
    watchSeconds,
  })
}

export async function showJob(context: Context, id: number): Promise<void> {
  const job = await context.client.call(getFleetJob, { params: { id } })
  if (context.json) printJson(job)
  else print(describeJob(job))
}

export async function waitForJob(context: Context, id: number): Promise<number> {
  return followJob(context, await context.client.call(getFleetJob, { params: { id } }))
}

/** Reports progress until the job has ended, then prints its results. Returns 1 if it failed anywhere. */
export async function followJob(context: Context, started: FleetJobDetail): Promise<number> {
  const { client, signal, json } = context
  let job = started
  let shown = ''
  try {
    for (;;) {
      const progress = describeProgress(job)
      if (progress !== shown) note(progress)
      shown = progress
      if (ENDED.includes(job.state)) break
      await sleep(POLL_MS, undefined, { signal })
      job = await client.callPatiently(getFleetJob, { params: { id: job.id } })
    }
  } catch (error) {
    if (signal.aborted) note(`Job ${job.id} continues. To wait for it: muster jobs wait ${job.id}`)
    throw error
  }
  if (json) printJson(job)
  else print(formatTable(GROUP_COLUMNS, job.groups, widthOf(process.stdout)))
  return isSuccess(job) ? 0 : 1
}

function describeProgress({ id, state, reason, counts }: FleetJobDetail): string {
  const parts = [
    `${counts.succeeded} succeeded`,
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
    ...(counts.running + counts.waiting > 0 ? [`${counts.running + counts.waiting} left`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
  ]
  const label = state === 'approval' ? 'waiting for approval' : state
  return `Job ${id} ${label}: ${parts.join(', ')}${reason === null ? '' : `. ${reason}`}`
}

/** Machines that the plan skipped are no failure; those that were skipped later are. */
function isSuccess({ state, counts, matched, planned }: FleetJobDetail): boolean {
  return state === 'done' && counts.failed === 0 && counts.skipped <= matched - planned
}

function describeJob(job: FleetJobDetail): string {
  const fields = formatFields({
    Job: `${job.id}, ${job.name}`,
    Action: job.action_text,
    Target: job.target_text,
    State: job.state,
    Reason: job.reason ?? '',
    By: job.created_by,
    Created: formatRelativeTime(job.created_at, Date.now()),
    Starts: job.started_at === null ? formatRelativeTime(job.starts_at, Date.now()) : '',
    Finished: formatRelativeTime(job.finished_at, Date.now()),
    Machines: `${job.planned} of ${job.matched}`,
    Progress: describeProgress(job).replace(/^.*?: /, ''),
    Waves: job.waves_count > 1 ? `${job.wave} of ${job.waves_count}` : '',
  })
  const skipped = job.skipped.map(({ count, reason }) => `${count} skipped: ${reason}`)
  const groups =
    job.groups.length === 0 ? [] : ['', formatTable(GROUP_COLUMNS, job.groups, widthOf(process.stdout))]
  return [fields, ...skipped, ...groups].join('\n')
}
