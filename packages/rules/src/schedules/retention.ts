/** Days that samples are stored: raw samples, and averages of five minutes and of an hour. */
export interface Retention {
  check_history_prune_days: number
  check_history_5min_prune_days: number
  check_history_hourly_prune_days: number
}

export const DEFAULT_RETENTION: Retention = {
  check_history_prune_days: 7,
  check_history_5min_prune_days: 90,
  check_history_hourly_prune_days: 730,
}

/** Days until ended runs with their output, resolved alerts and audit entries are deleted. 0 keeps them forever. */
export interface RecordRetention {
  agent_history_prune_days: number
  resolved_alerts_prune_days: number
  audit_log_prune_days: number
}

export const DEFAULT_RECORD_RETENTION: RecordRetention = {
  agent_history_prune_days: 60,
  resolved_alerts_prune_days: 365,
  audit_log_prune_days: 365,
}

/** Returns the instant before which records are deleted; undefined keeps them forever. */
export function pruneBefore(days: number, now: Date): string | undefined {
  return days === 0 ? undefined : new Date(now.getTime() - days * 86_400_000).toISOString()
}

/** Ten years. */
export const MAX_DAYS = 3650

/**
 * What is wrong, by field: coarser data is made from finer data, and must be stored at least as long.
 *
 *     findRetentionProblems({ check_history_prune_days: 90, check_history_5min_prune_days: 30, ... })
 *     // { check_history_5min_prune_days: 'Use at least 90 days, as for raw samples.' }
 */
export function findRetentionProblems(kept: Retention): Partial<Record<keyof Retention, string>> {
  if (kept.check_history_5min_prune_days < kept.check_history_prune_days) {
    return { check_history_5min_prune_days: notShorter('raw samples', kept.check_history_prune_days) }
  }
  if (kept.check_history_hourly_prune_days < kept.check_history_5min_prune_days) {
    const days = kept.check_history_5min_prune_days
    return { check_history_hourly_prune_days: notShorter('5-minute averages', days) }
  }
  return {}
}

const notShorter = (what: string, days: number) =>
  `Use at least ${days} ${days === 1 ? 'day' : 'days'}, as for ${what}.`
