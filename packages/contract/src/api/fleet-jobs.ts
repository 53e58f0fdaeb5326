import { FLEET_JOB_STATES, JOB_AGENT_STATES } from '@muster/rules/fleet-jobs/job-state'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, IdParams, Instant, ListQuery, Platform } from '../fields.ts'
import { JobAction, JobDraft, JobRollout, JobSchedule } from '../fleet-jobs/job-draft.ts'

/**
 * Why a machine is skipped. In the plan: `offline`, `unsuitable` (platform, or nothing to do), `no_right` (the caller
 * may not do this). At run time also: `removed`, `moved` (out of the creator's scope), `expired`, `stopped`.
 */
export const SkipCode = z.enum([
  'offline',
  'unsuitable',
  'no_right',
  'removed',
  'moved',
  'expired',
  'stopped',
])
export type SkipCode = z.infer<typeof SkipCode>

const SkipSum = z.object({ code: SkipCode, reason: z.string(), count: z.int() })

export const PlannedMachine = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  client_name: z.string(),
  site_name: z.string(),
  plat: Platform,
  connected: z.boolean(),
  /** From 1; null = skipped. */
  wave: z.int().nullable(),
  /** Its action, or why it is skipped, as a sentence. */
  text: z.string(),
  skip: SkipCode.nullable(),
})
export type PlannedMachine = z.infer<typeof PlannedMachine>

export const JobPlan = z.object({
  /** Start the job with it. It covers the draft and the machines, not whether they are connected. */
  hash: z.string(),
  /** The name of the job, made from the action if the draft has none. */
  name: z.string(),
  /** The action as words: `Run the script "Disable SMB 1.0"`. */
  action_text: z.string(),
  matched: z.int(),
  planned: z.int(),
  /** Planned machines that are offline now. */
  offline: z.int(),
  waves: z.array(z.object({ number: z.int(), size: z.int() })),
  skipped: z.array(SkipSum),
  /** Another person must approve the job before it runs. */
  needs_approval: z.boolean(),
  /** The first `limit` machines that run, by wave, then the first `limit` that are skipped. */
  machines: z.array(PlannedMachine),
})
export type JobPlan = z.infer<typeof JobPlan>

export const JobCounts = z.object({
  succeeded: z.int(),
  failed: z.int(),
  running: z.int(),
  waiting: z.int(),
  skipped: z.int(),
})

/** Between two waves. `text` says the conditions before, and the result after. */
export const JobGate = z.object({
  state: z.enum(['closed', 'watching', 'passed', 'failed']),
  text: z.string(),
  /** When it opens, if the wave before has ended. */
  opens_at: Instant.nullable(),
  decided_at: Instant.nullable(),
})
export type JobGate = z.infer<typeof JobGate>

export const JobWave = z.object({
  number: z.int(),
  size: z.int(),
  state: z.enum(['not_started', 'running', 'finished']),
  counts: JobCounts,
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  /** The gate after this wave; null = it is the last one. */
  gate: JobGate.nullable(),
})
export type JobWave = z.infer<typeof JobWave>

/** A row of the list. */
export const FleetJob = z.object({
  id: z.int(),
  name: z.string(),
  /** `type` of the action. */
  action: z.string(),
  action_text: z.string(),
  state: z.enum(FLEET_JOB_STATES),
  /** Why it is paused, halted or stopped, as a sentence. */
  reason: z.string().nullable(),
  created_by: z.string(),
  created_at: Instant,
  approved_by: z.string().nullable(),
  approved_at: Instant.nullable(),
  /** Scheduled jobs: when it starts. */
  starts_at: Instant.nullable(),
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  expires_at: Instant.nullable(),
  /** Only machines that the caller may see. */
  counts: JobCounts,
  /** The current wave, from 1; 0 before the start. */
  wave: z.int(),
  waves_count: z.int(),
  /** The job that this one undoes. */
  undo_of: z.int().nullable(),
  /** The repeating job that this is a time of. */
  repeat_of: z.int().nullable(),
})
export type FleetJob = z.infer<typeof FleetJob>

/** Machines with the same state, exit code and output. */
export const JobGroup = z.object({
  /** For `group` of the list of machines and for the output. */
  id: z.string(),
  state: z.enum(JOB_AGENT_STATES),
  count: z.int(),
  retcode: z.int().nullable(),
  /** The line of the output that says most, or a sentence; at most 300 characters. */
  line: z.string(),
  longest_seconds: z.number().nullable(),
})
export type JobGroup = z.infer<typeof JobGroup>

/** `sent`, `accepted`, `running` of a run in progress; `requested`: an action without a run. */
export const JobPhase = z.enum(['queued', 'sent', 'accepted', 'running', 'requested'])
export type JobPhase = z.infer<typeof JobPhase>

export const JobMachine = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  client_name: z.string(),
  site_name: z.string(),
  /** The machine still exists. */
  exists: z.boolean(),
  connected: z.boolean(),
  wave: z.int(),
  state: z.enum(JOB_AGENT_STATES),
  phase: JobPhase.nullable(),
  skip: SkipCode.nullable(),
  /** Why it was skipped or failed, or what it waits for. */
  reason: z.string().nullable(),
  /** When it may start, by its clock or its maintenance windows; null = at once, or it has started. */
  due_at: Instant.nullable(),
  tries: z.int(),
  retcode: z.int().nullable(),
  group: z.string(),
  line: z.string(),
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  /** Seconds. */
  execution_time: z.number().nullable(),
  /** The run of the last try, in the history of the machine. */
  history: z.int().nullable(),
})
export type JobMachine = z.infer<typeof JobMachine>

export const JobLogLine = z.object({
  at: Instant,
  username: z.string(),
  kind: z.enum(['info', 'failure']),
  text: z.string(),
})

const Step = z.object({
  /** Why it is not possible now; null = it is. */
  refused: z.string().nullable(),
})

export const FleetJobDetail = FleetJob.extend({
  hash: z.string(),
  /** How the machines were found; `search` and `id` as in the draft. */
  target: z.object({
    by: z.enum(['agents', 'search', 'client', 'site', 'tag', 'all']),
    search: z.string().nullable(),
    id: z.int().nullable(),
  }),
  /** The target in words: `is:workstation`, `Client "Acme"`. */
  target_text: z.string(),
  schedule: JobSchedule,
  rollout: JobRollout,
  /** The action. Values of environment variables are masked, and a file has its first 10,000 characters. */
  input: JobAction,
  script: z.object({ id: z.int(), name: z.string() }).nullable(),
  rollback: z.object({ script: z.int(), name: z.string() }).nullable(),
  matched: z.int(),
  planned: z.int(),
  /** The caller may see all machines of the job, and so may change it. */
  is_whole: z.boolean(),
  pause_after_wave: z.boolean(),
  waves: z.array(JobWave),
  waiting: z.object({ turn: z.int(), offline: z.int() }),
  /** Machines in progress by phase, and the longest run so far. */
  in_progress: z.object({
    queued: z.int(),
    sent: z.int(),
    accepted: z.int(),
    running: z.int(),
    requested: z.int(),
    longest_seconds: z.number().nullable(),
  }),
  skipped: z.array(SkipSum),
  groups: z.array(JobGroup),
  /** The first of the running machines, longest first. */
  running_now: z.array(JobMachine),
  /** Failures that count towards the limit. */
  failures_counted: z.int(),
  /** Machines that finished in each of the last 30 minutes, oldest first. */
  finished_per_minute: z.array(z.object({ at: Instant, count: z.int() })),
  minutes_left: z.int().nullable(),
  history: z.array(JobLogLine),
  steps: z.object({
    approve: Step,
    pause: Step,
    halt: Step,
    resume: Step,
    stop: Step,
    retry_failed: Step,
    undo: Step,
  }),
  /** The effect of undo; null = there is none. */
  undo_text: z.string().nullable(),
})
export type FleetJobDetail = z.infer<typeof FleetJobDetail>

export const planFleetJob = endpoint({
  method: 'POST',
  path: '/jobs/plan/',
  access: 'can_list_agents',
  summary: 'Plan a job: its machines, what each will do, and which are skipped and why',
  query: z.object({ limit: z.coerce.number().int().min(0).max(20_000).default(500) }),
  body: JobDraft,
  bodyLimit: 4 * 1024 * 1024,
  response: JobPlan,
})

export const startFleetJob = endpoint({
  method: 'POST',
  path: '/jobs/',
  access: 'can_list_agents',
  summary:
    'Start a planned job. Refused with 409 if its plan has changed: plan again and show the difference',
  body: z.object({ draft: JobDraft, hash: z.string().max(100) }),
  bodyLimit: 4 * 1024 * 1024,
  response: FleetJobDetail,
})

export const listFleetJobs = endpoint({
  method: 'GET',
  path: '/jobs/',
  access: 'can_list_agent_history',
  summary: 'List jobs with machines that the caller may see, newest first',
  query: ListQuery.extend({ state: z.enum(FLEET_JOB_STATES).optional() }),
  response: z.array(FleetJob),
  paged: true,
})

export const getFleetJob = endpoint({
  method: 'GET',
  path: '/jobs/:id/',
  access: 'can_list_agent_history',
  summary: 'Get a job with its waves, counts, groups of equal output, running machines and history',
  params: IdParams,
  response: FleetJobDetail,
})

export const listFleetJobMachines = endpoint({
  method: 'GET',
  path: '/jobs/:id/machines/',
  access: 'can_list_agent_history',
  summary: 'List the machines of a job in their order',
  params: IdParams,
  query: z.object({
    state: z.enum(JOB_AGENT_STATES).optional(),
    group: z.string().max(100).optional(),
    /** A part of the name of the machine, its client or its site. */
    search: z.string().max(500).optional(),
    page: z.coerce.number().int().min(1).max(100_000).default(1),
    page_size: z.coerce.number().int().min(1).max(20_000).default(100),
    /** Only machines behind this one in the order, so that none is left out while others change their state. */
    after: AgentId.optional(),
  }),
  response: z.object({
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    results: z.array(JobMachine),
  }),
})

const GroupOutput = z.object({ group: JobGroup, stdout: z.string(), stderr: z.string() })

export const getFleetJobOutput = endpoint({
  method: 'GET',
  path: '/jobs/:id/groups/:group/',
  access: 'can_list_agent_history',
  summary: 'Get the output of a group of machines, and of the largest successful group to compare it with',
  params: z.object({ id: Id, group: z.string().max(100) }),
  response: GroupOutput.extend({
    /** null = there is none, or it is this group. */
    compare: GroupOutput.nullable(),
    /** Differences between the machines of the group and those of `compare`, as sentences. */
    common: z.array(z.string()),
  }),
})

const step = { access: 'can_list_agent_history', params: IdParams, response: FleetJobDetail } as const

export const approveFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/approve/',
  needsPerson: true,
  summary: 'Approve the plan of a job of another user',
})

export const pauseFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/pause/',
  withLowDisk: true,
  summary: 'Pause a job now or after the current wave; running machines finish',
  body: z.object({ after_wave: z.boolean().default(false) }).prefault({}),
})

export const haltFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/halt/',
  withLowDisk: true,
  summary: 'Halt a job: running machines finish, no other starts',
})

export const resumeFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/resume/',
  summary: 'Resume a paused or halted job. Failures so far no longer count, and a closed gate opens',
  body: z
    .object({
      /** All machines that are left form one wave. */
      rest_at_once: z.boolean().default(false),
    })
    .prefault({}),
})

export const stopFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/stop/',
  withLowDisk: true,
  summary: 'Stop a job for good: machines that have not started are skipped',
})

export const retryFleetJob = endpoint({
  ...step,
  method: 'POST',
  path: '/jobs/:id/retry/',
  summary: 'Run the action again on failed machines, all or these',
  body: z.object({ agents: z.array(AgentId).min(1).max(20_000).optional() }).prefault({}),
})

export const undoFleetJob = endpoint({
  method: 'POST',
  path: '/jobs/:id/undo/',
  access: 'can_list_agent_history',
  summary: 'Plan the inverse of a job for the machines that it has changed. Start it as a new job',
  params: IdParams,
  query: z.object({ limit: z.coerce.number().int().min(0).max(20_000).default(500) }),
  body: z
    .object({
      /** A script that reverts the action. Without it, the inverse of the action or the rollback of the job. */
      script: Id.optional(),
      args: z.array(z.string().max(10_000)).max(200).optional(),
    })
    .prefault({}),
  response: z.object({ draft: JobDraft, plan: JobPlan }),
})

/** The same as a job, with the names of the field: a target, a command, a script or patches. */
export const bulkAction = endpoint({
  method: 'POST',
  path: '/agents/actions/bulk/',
  access: 'can_list_agents',
  summary: 'Run a command, a script or a patch action on many machines at once, as a job',
  body: z.object({
    mode: z.enum(['command', 'script', 'patch']),
    target: z.enum(['client', 'site', 'agents', 'all']),
    monType: z.enum(['all', 'servers', 'workstations']).default('all'),
    osType: z.enum(['windows', 'linux', 'darwin', 'all']).default('all'),
    client: Id.nullable().optional(),
    site: Id.nullable().optional(),
    agents: z.array(AgentId).max(20_000).optional(),
    script: Id.nullable().optional(),
    args: z.array(z.string().max(10_000)).max(200).optional(),
    env_vars: z.array(z.string().max(10_000)).max(200).optional(),
    cmd: z.string().max(100_000).optional(),
    shell: z.string().max(1000).optional(),
    custom_shell: z.string().max(1000).nullable().optional(),
    timeout: z.int().min(5).max(86_400).optional(),
    run_as_user: z.boolean().optional(),
    /** Scripts: stores the last line of the output in a custom field, or all of it. */
    custom_field: Id.nullable().optional(),
    collector_all_output: z.boolean().optional(),
    save_to_agent_note: z.boolean().optional(),
    patchMode: z.enum(['scan', 'install']).nullable().optional(),
    /** Keep offline machines until they return. */
    offlineAgents: z.boolean().default(false),
  }),
  bodyLimit: 4 * 1024 * 1024,
  response: z.object({
    /** The number of machines as a sentence. */
    detail: z.string(),
    job: FleetJob,
  }),
})
