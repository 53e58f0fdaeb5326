import type { Retention } from '@muster/rules/schedules/retention'
import type { Db } from '../platform/database/database.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'

export const DAY = 86_400
/** Older samples are dropped on arrival: agents keep unsent samples for a week. */
export const ACCEPT_SECONDS = 7 * DAY
/** 0 = every sample, else seconds per point. */
export const RESOLUTIONS = [0, 300, 3600] as const
export type Resolution = (typeof RESOLUTIONS)[number]
export type KeepSeconds = Record<Resolution, number>

/**
 * Time range of one chunk. A row much longer than a quarter of a database page (4 kB) wastes much of its page; a much
 * shorter one has too much overhead.
 */
export const WINDOW_SECONDS = { 0: 6 * 3600, 300: 12 * 3600, 3600: 6 * DAY } as const

/** Returns the current retention of samples and their means. */
export async function readKeep(db: Db): Promise<KeepSeconds> {
  return keepSecondsOf(await readCoreSettings(db))
}

/** Raw samples are kept one day longer, so that late samples can still be merged with their neighbours. */
function keepSecondsOf(kept: Retention): KeepSeconds {
  return {
    0: (kept.check_history_prune_days + 1) * DAY,
    300: kept.check_history_5min_prune_days * DAY,
    3600: kept.check_history_hourly_prune_days * DAY,
  }
}
