import {
  type FleetJobDetail,
  getFleetJob,
  getFleetJobOutput,
  haltFleetJob,
  type JobGroup,
  type JobMachine,
  type JobPlan,
  listFleetJobMachines,
  listFleetJobs,
  pauseFleetJob,
  resumeFleetJob,
  retryFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { listRepeatingJobs } from '@muster/contract/api/repeating-jobs'
import { JobRollout } from '@muster/contract/fleet-jobs/job-draft'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

export const AT = '2026-11-24T09:03:00.000Z'
export const NONE = { succeeded: 0, failed: 0, running: 0, waiting: 0, skipped: 0 }
export const OK = { refused: null }
export const NO = { refused: 'Not now.' }

const group = (id: string, more: Partial<JobGroup>): JobGroup => ({
  id,
  state: 'succeeded',
  count: 183,
  retcode: 0,
  line: 'SMB1Protocol: Disabled',
  longest_seconds: 200,
  ...more,
})
const GROUPS = [
  group('f1', { state: 'failed', count: 2, retcode: 1, line: 'Access denied', longest_seconds: 2 }),
  group('s1', {}),
]

export const job = (more: Partial<FleetJobDetail> = {}): FleetJobDetail => ({
  id: 7,
  name: 'Disable SMB 1.0',
  action: 'script',
  action_text: 'Run the script "Disable SMB 1.0"',
  state: 'running',
  reason: null,
  created_by: 'ada',
  created_at: AT,
  approved_by: null,
  approved_at: null,
  starts_at: null,
  started_at: AT,
  finished_at: null,
  expires_at: '2026-11-26T09:03:00.000Z',
  counts: { ...NONE, succeeded: 183, failed: 2, waiting: 298, skipped: 66 },
  wave: 1,
  waves_count: 2,
  undo_of: null,
  repeat_of: null,
  hash: '7f3a91c2e04b0000',
  input: { type: 'script', script: 3 },
  target: { by: 'search', search: 'os:windows', id: null },
  target_text: 'os:windows',
  schedule: { start: { at: 'now' }, in_windows: false, offline: 'keep', expires_hours: 48 },
  rollout: JobRollout.parse({ waves: [{ count: 185 }], halt: { failures: 5 } }),
  script: { id: 3, name: 'Disable SMB 1.0' },
  rollback: null,
  matched: 549,
  planned: 483,
  is_whole: true,
  pause_after_wave: false,
  waves: [
    {
      number: 1,
      size: 185,
      state: 'finished',
      counts: { ...NONE, succeeded: 183, failed: 2 },
      started_at: AT,
      finished_at: AT,
      gate: { state: 'closed', text: 'then 10 min', opens_at: null, decided_at: null },
    },
    {
      number: 2,
      size: 298,
      state: 'not_started',
      counts: { ...NONE, waiting: 298 },
      started_at: null,
      finished_at: null,
      gate: null,
    },
  ],
  waiting: { turn: 292, offline: 6 },
  in_progress: { queued: 0, sent: 0, accepted: 0, running: 0, requested: 0, longest_seconds: null },
  skipped: [{ code: 'unsuitable', reason: 'Another platform.', count: 66 }],
  groups: GROUPS,
  running_now: [],
  failures_counted: 2,
  finished_per_minute: [],
  minutes_left: null,
  history: [{ at: AT, username: 'ada', kind: 'info', text: 'Started the job' }],
  steps: { approve: NO, pause: OK, halt: OK, resume: NO, stop: OK, retry_failed: OK, undo: NO },
  undo_text: null,
  ...more,
})

export const machine = (more: Partial<JobMachine> = {}): JobMachine => ({
  agent_id: 'alpha0000000',
  hostname: 'DUN-WS044',
  client_name: 'Dunmore',
  site_name: 'Chambers',
  exists: true,
  connected: true,
  wave: 1,
  state: 'failed',
  phase: null,
  skip: null,
  reason: null,
  due_at: null,
  tries: 2,
  retcode: 1,
  group: 'f1',
  line: 'Access denied',
  started_at: AT,
  finished_at: AT,
  execution_time: 1.9,
  history: 12,
  ...more,
})

/** The console with a stubbed server that has one job. */
export async function openJobs(path: string, detail = job()) {
  await page.viewport(1440, 900)
  const { server, open } = await givenDashboard()
  server.on(listFleetJobs, () => answer(listFleetJobs, [detail]))
  server.on(listRepeatingJobs, () => answer(listRepeatingJobs, []))
  server.on(getFleetJob, () => answer(getFleetJob, detail))
  server.on(listFleetJobMachines, ({ search }) =>
    answer(listFleetJobMachines, {
      total: 1,
      page: 1,
      page_size: 500,
      results: [machine(search.get('state') === 'skipped' ? { state: 'skipped' } : {})],
    }),
  )
  const succeeded = { group: group('s1', {}), stdout: 'Reading\nDisabled\n', stderr: '' }
  server.on(getFleetJobOutput, () =>
    answer(getFleetJobOutput, {
      group: group('f1', { state: 'failed', count: 2, retcode: 1 }),
      stdout: 'Reading\n',
      stderr: 'Access denied\n',
      compare: succeeded,
      common: ['Both have the policy "Locked registry".'],
    }),
  )
  for (const endpoint of [haltFleetJob, pauseFleetJob, resumeFleetJob, retryFleetJob])
    server.on(endpoint, () => answer(endpoint, detail))
  return { server, ...(await open(path)) }
}

export const PLAN: JobPlan = {
  hash: 'abc',
  name: 'hostname',
  action_text: 'Send the command hostname',
  matched: 3,
  planned: 2,
  offline: 1,
  waves: [
    { number: 1, size: 1 },
    { number: 2, size: 1 },
  ],
  skipped: [{ code: 'unsuitable', reason: 'It has no bash.', count: 1 }],
  needs_approval: false,
  machines: [],
}
