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
  /** Of what a machine has at most one of each: the same for two checks that exclude each other. */
  only_key: string | null
  /** Of a script check; null when the script is gone. */
  script_id: number | null
  fails_b4_alert: number
  /** Seconds; 0 = the machine's own check interval. */
  run_interval: number
  /** Names what the machine is to do for it: see definitions.ts. */
  revision: string
  /** The policy that it comes from and its number there; null = the machine's own. */
  policy_id: number | null
  policy_check: number | null
  /** Of an own one: the enforced policy that has the same check; this one rests. */
  overridden_by: number | null
  /** Another check: while that one fails, nobody is told of this one. */
  depends_on: Generated<number | null>
  /** The user who set up its script; of one of a policy, the policy names the author: keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_at: string
  modified: string
  modified_by: string
}

/** What a check found last; a check without a row is pending. */
export interface CheckResultsTable {
  check_id: number
  status: CheckStatus
  /** Of a failing one. */
  alert_severity: Severity | null
  more_info: string
  last_run: string
  /** The same in Unix seconds. */
  ran_at: number
  /** Failing runs in a row. */
  fail_count: number
  failing_since: string | null
  /** JSON of the contract's Measured. */
  measured: string
}

/** When a check began to fail, changed its severity, or ceased to fail (null). */
export interface CheckTransitionsTable {
  id: Generated<number>
  check_id: number
  agent_id: string
  /** Unix seconds, as in all tables below. */
  at: number
  severity: Severity | null
}

/** When the server measures its checks next, and which process does it now. */
export interface ServerCheckRunsTable {
  check_id: number
  due_at: string
  claimed_by: string | null
  claimed_until: string | null
}

/** A number over time, of a check (rules/check-series.ts) or of the machine itself (contract/agent/metrics.ts). */
export interface SeriesTable {
  id: Generated<number>
  agent_id: string
  /** Null of the machine itself. */
  check_id: number | null
  name: string
  unit: string
}

/** Samples of one machine as they came in, until they are merged into chunks. */
export interface SampleBatchesTable {
  id: Generated<number>
  /** agents.id */
  agent: number
  stored_at: number
  samples: Uint8Array
}

/** Points of one series in one window of time, compressed. */
export interface SampleChunksTable {
  series_id: number
  /** 0 = raw, else the seconds that each point stands for. */
  resolution: number
  start: number
  points: Uint8Array
}

/** Results of checks that a machine had to drop, as the server was away for longer than it keeps them. */
export interface DroppedResultsTable {
  id: Generated<number>
  agent_id: string
  from_at: number
  to_at: number
  count: number
}
