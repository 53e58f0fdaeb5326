import type { TaskTrigger, TaskType } from '@muster/contract/agent/tasks'
import type { Severity } from '@muster/contract/fields'
import type { Generated } from 'kysely'

export interface TasksTable {
  id: Generated<number>
  agent_id: string
  name: string
  enabled: 0 | 1
  task_type: TaskType
  /** JSON of the contract's other fields: times and policies. */
  settings: string
  /** JSON of the contract's actions. */
  actions: string
  /** Of the alert of a run that fails. */
  alert_severity: Severity
  /** Of `checkfailure`; null when the check is gone. */
  assigned_check: number | null
  /** Takes the result of a run; null when there is none, or it is gone. */
  custom_field: number | null
  /** It takes all output, else the last line. */
  collector_all_output: Generated<0 | 1>
  /** When the times were made or last changed. */
  counts_from: string
  /** Names what the machine is to do: see definitions.ts. Empty when it can do nothing, as a script is gone. */
  revision: string
  /** The version of the machine's tasks (agents.tasks_version) with which this revision came. */
  version: number
  /** The policy that gives it, and its number there; null for one of the machine's own. */
  policy_id: number | null
  policy_task: number | null
  /** The enforced policy for which an own task rests. */
  overridden_by: number | null
  /** The user who set up its scripts; of one of a policy, the policy names the author: keys of the store are read with this user's role. */
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

/** How the last run of a task went; a task without a row has never run. */
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

/** Runs of tasks, and what was missed; the newest of each task are kept. */
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
  /** How many did not take place. */
  missed: number
  /** JSON of the contract's ActionResults. */
  actions: string
}
