import type { FleetJobState, JobAgentState } from '@muster/rules/fleet-jobs/job-state'
import type { Generated } from 'kysely'

/** One action on many machines. */
export interface FleetJobsTable {
  id: Generated<number>
  name: string
  state: FleetJobState
  reason: string | null
  /** The creator, whose rights count when it runs. */
  user_id: number
  /** The API key of the creator's program, whose rights count as well. After its end the job has none. */
  api_key_id: number | null
  username: string
  source: string
  /** `type` of the action, and what it does as words. */
  action: string
  action_text: string
  /** `JobDraft` as JSON, encrypted: environments may contain secrets. */
  draft: string
  hash: string
  matched: number
  planned: number
  /** The current wave, from 1; 0 before the start. */
  wave: Generated<number>
  /** JSON list of `WaveRecord`. */
  waves: string
  pause_after_wave: Generated<0 | 1>
  /** Failures of the job, and of its current wave, before a user resumed it. */
  forgiven: Generated<number>
  forgiven_in_wave: Generated<number>
  undo_of: number | null
  /** The repeating job that it is a time of. */
  repeat_of: number | null
  created_at: string
  approved_by: string | null
  approved_at: string | null
  starts_at: string
  started_at: string | null
  finished_at: string | null
  expires_at: string
  /** Counts changes. Each step increases it, so that two processes never exceed a limit together. */
  version: Generated<number>
}

/** One wave, with the gate after it. */
export interface WaveRecord {
  size: number
  started_at: string | null
  /** When the last of its machines ended. */
  ended_at: string | null
  /** The last one has none. */
  gate: 'closed' | 'passed' | 'failed' | 'opened by a user'
  gate_text: string
  decided_at: string | null
}

/** A machine of a job, planned or skipped. It outlives the machine, so names are copied. */
export interface FleetJobAgentsTable {
  job_id: number
  agent_id: string
  position: number
  hostname: string
  client_name: string
  site_name: string
  /** From 1; 0 = skipped in the plan. */
  wave: number
  state: JobAgentState
  skip: string | null
  reason: string | null
  /** Runs in the plan: what it will do. */
  text: string
  /** Earliest start, for schedules by the machine's clock. */
  due_at: string | null
  tries: Generated<number>
  history_id: number | null
  /** The process that carries out an action without a run. */
  claimed_by: string | null
  started_at: string | null
  finished_at: string | null
  retcode: number | null
  execution_time: number | null
  /** Equal for machines with the same state, exit code and output. */
  output_group: Generated<string>
  line: Generated<string>
  /** JSON of what was there before, for undo. */
  before: string | null
}

/** A job that is planned again at each of its times. */
export interface RepeatingJobsTable {
  id: Generated<number>
  name: string
  /** The user who saved it last, whose rights count whenever it is planned. */
  user_id: number
  /** The API key of the creator's program, whose rights count as well. After its end the job has none. */
  api_key_id: number | null
  username: string
  source: string
  action: string
  action_text: string
  /** `JobDraft` as JSON, encrypted. */
  draft: string
  cron: string
  clock: 'server' | 'machine'
  paused: Generated<0 | 1>
  /** When the next job is planned; null = never, or it is paused. */
  next_at: string | null
  /** By the clocks of machines, the time at which they start: `2026-11-26T02:00`. */
  next_local: string | null
  last_at: string | null
  last_job_id: number | null
  /** Why the last time has no job. */
  last_problem: string | null
  created_at: string
  /** When it was edited; null = never. */
  modified: string | null
  /** Null = `username`, as long as nobody has edited it. */
  created_by: string | null
}

/** The history of a job, as sentences. */
export interface FleetJobLogTable {
  id: Generated<number>
  job_id: number
  at: string
  username: string
  kind: 'info' | 'failure'
  text: string
}
