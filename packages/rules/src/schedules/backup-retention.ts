const DAY_MS = 24 * 3_600_000
/** 5 January 1970 was the first Monday. */
const FIRST_MONDAY = 4

/** Which days and weeks (UTC, from Monday) keep their newest backup. */
export interface BackupRetention {
  daily: number
  weekly: number
}

/**
 * Returns the backups that are no longer kept: neither the newest of one of the last `daily` days with a backup, nor of
 * one of the last `weekly` weeks with one. The newest of all is always kept.
 */
export function findExpiredBackups<Backup extends { at: Date }>(
  backups: readonly Backup[],
  { daily, weekly }: BackupRetention,
): Backup[] {
  const newestFirst = backups.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  const dayOf = ({ at }: Backup) => Math.floor(at.getTime() / DAY_MS)
  const kept = new Set([
    ...newestFirst.slice(0, 1),
    ...newestOfEach(newestFirst, dayOf).slice(0, daily),
    ...newestOfEach(newestFirst, (backup) => Math.floor((dayOf(backup) - FIRST_MONDAY) / 7)).slice(0, weekly),
  ])
  return newestFirst.filter((backup) => !kept.has(backup))
}

function newestOfEach<Backup>(
  newestFirst: readonly Backup[],
  periodOf: (backup: Backup) => number,
): Backup[] {
  const newest = new Map<number, Backup>()
  for (const backup of newestFirst) {
    const period = periodOf(backup)
    if (!newest.has(period)) newest.set(period, backup)
  }
  return [...newest.values()]
}
