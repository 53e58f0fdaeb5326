import type { CheckType } from '@muster/contract/api/checks'
import type { CheckStatus } from '@muster/contract/checks/check-samples'
import type { Severity } from '@muster/contract/fields'
import type { Generated } from 'kysely'

export interface ChecksTable {
  id: Generated<number>
  agent_id: string
  check_type: CheckType
  /** JSON of the contract's fields of this type. */
  settings: string
  /** Same for checks that exclude each other, of which a machine has at most one. */
  only_key: string | null
  /** Set for script checks. NULL when the script was deleted. */
  script_id: number | null
  fails_b4_alert: number
  /** Seconds. 0 = the machine's own check interval. */
  run_interval: number
  /** Identifies the definition that the agent runs: see definitions.ts. */
  revision: string
  /** The revision that a superuser approved for the machine of a server. Empty = none. */
  approved_revision: Generated<string>
  /** The policy that provides it and its number there. NULL = the machine's own. */
  policy_id: number | null
  policy_check: number | null
  /** The enforced policy that overrides an own check. */
  overridden_by: number | null
  /** While the other check fails, this check does not alert. */
  depends_on: Generated<number | null>
  /**
   * The user who set up its script. For policy checks the policy names the author. Keys of the store are read with this
   * user's role.
   */
  author_id: Generated<number | null>
  created_at: string
  modified: string
  modified_by: string
}

/** The last result of a check. A check without a row is pending. */
export interface CheckResultsTable {
  check_id: number
  status: CheckStatus
  /** Set while it fails. */
  alert_severity: Severity | null
  more_info: string
  last_run: string
  /** `last_run` in Unix seconds. */
  ran_at: number
  /** Consecutive failures. */
  fail_count: number
  failing_since: string | null
  /** JSON of the contract's Measured. */
  measured: string
}

/** When a check started to fail, changed its severity, or recovered (NULL). */
export interface CheckTransitionsTable {
  id: Generated<number>
  check_id: number
  agent_id: string
  /** Unix seconds, as in all tables below. */
  at: number
  severity: Severity | null
}

/** When the server runs each of its own checks next, and which process is running it. */
export interface ServerCheckRunsTable {
  check_id: number
  due_at: string
  claimed_by: string | null
  claimed_until: string | null
}

/** A metric of a check (rules/checks/check-series.ts) or of the machine (contract/agent/metrics.ts). */
export interface SeriesTable {
  id: Generated<number>
  agent_id: string
  /** NULL for metrics of the machine. */
  check_id: number | null
  name: string
  unit: string
}

/** Received samples of one machine, until they are merged into chunks. */
export interface SampleBatchesTable {
  id: Generated<number>
  /** agents.id */
  agent: number
  stored_at: number
  samples: Uint8Array
}

/** Compressed points of one series in one time window. */
export interface SampleChunksTable {
  series_id: number
  /** 0 = raw, else seconds per point. */
  resolution: number
  start: number
  points: Uint8Array
}

/** Check results that a machine dropped, because the server was unreachable for too long. */
export interface DroppedResultsTable {
  id: Generated<number>
  agent_id: string
  from_at: number
  to_at: number
  count: number
}

/** A disk that will be full soon. Replaced as a whole every hour. */
export interface DiskForecastsTable {
  /** agents.id */
  agent: number
  mount: string
  full_at: string
  /** JSON: `[unix seconds, percent used]`, one for each of the last 30 days. */
  points: string
}
