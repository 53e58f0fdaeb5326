import type { TaskTrigger, TaskType } from '@muster/contract/agent/tasks'
import type { Severity } from '@muster/contract/fields'
import type { Generated } from 'kysely'

export interface TasksTable {
  id: Generated<number>
  agent_id: string
  name: string
  enabled: 0 | 1
  task_type: TaskType
  /** JSON of the other fields of the contract: schedule and policies. */
  settings: string
  /** JSON of the contract's actions. */
  actions: string
  /** Severity of the alert for a failed run. */
  alert_severity: Severity
  /** For `checkfailure`. NULL when the check was deleted. */
  assigned_check: number | null
  /** Stores the result of a run. NULL = none, or deleted. */
  custom_field: number | null
  /** Collect all output instead of the last line. */
  collector_all_output: Generated<0 | 1>
  /** When the schedule was created or last changed. */
  counts_from: string
  /**
   * Identifies the definition that the agent runs: see definitions.ts. Empty if a script was deleted and nothing can
   * run.
   */
  revision: string
  /** The revision that a superuser approved for the machine of a server. Empty = none. */
  approved_revision: Generated<string>
  /** The version of the machine's tasks (agents.tasks_version) that introduced this revision. */
  version: number
  /** The policy that provides it and its number there. NULL = the machine's own. */
  policy_id: number | null
  policy_task: number | null
  /** The enforced policy that overrides an own task. */
  overridden_by: number | null
  /**
   * The user who set up its scripts. For policy tasks the policy names the author. Keys of the store are read with this
   * user's role.
   */
  author_id: Generated<number | null>
  created_at: string
  modified: string
  modified_by: string
}

/** A script that a task uses. */
export interface TaskScriptsTable {
  task_id: number
  script_id: number
}

/** The last result of a task. A task without a row has never run. */
export interface TaskResultsTable {
  task_id: number
  status: 'passing' | 'failing' | 'pending'
  run_status: 'running' | 'completed'
  retcode: number | null
  stdout: string
  stderr: string
  execution_time: number | null
  last_run: string | null
  more_info: string
}

/** Runs of tasks and missed runs. The newest of each task are kept. */
export interface TaskRunsTable {
  id: Generated<number>
  task_id: number
  run_id: string
  state: 'running' | 'ended' | 'missed'
  trigger: TaskTrigger
  status: 'passing' | 'failing' | null
  planned_at: string | null
  started_at: string
  ended_at: string | null
  retcode: number | null
  execution_time: number | null
  more_info: string
  /** Number of missed runs. */
  missed: number
  /** JSON of the contract's ActionResults. */
  actions: string
}
