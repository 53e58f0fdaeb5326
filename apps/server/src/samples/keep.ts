import type { Retention } from '@muster/rules/schedules/retention'
import type { Db } from '../platform/database/database.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'

export const DAY = 86_400
/** Samples that are older when they come are dropped: machines keep for a week what they could not send. */
export const ACCEPT_SECONDS = 7 * DAY
/** 0 = every sample; else the seconds that each point stands for. */
export const RESOLUTIONS = [0, 300, 3600] as const
export type Resolution = (typeof RESOLUTIONS)[number]
export type KeepSeconds = Record<Resolution, number>

/**
 * Which time one chunk covers. A row of a chunk that is much longer than a quarter of a database page (4 kB) leaves
 * much of its page empty; a shorter one has more of its own weight.
 */
export const WINDOW_SECONDS = { 0: 6 * 3600, 300: 12 * 3600, 3600: 6 * DAY } as const

/** How long samples and means of them are kept, as it is set now. */
export async function readKeep(db: Db): Promise<KeepSeconds> {
  return keepSecondsOf(await readCoreSettings(db))
}

/** Every sample a day longer than said: what comes late is still joined with what it belongs to. */
function keepSecondsOf(kept: Retention): KeepSeconds {
  return {
    0: (kept.check_history_prune_days + 1) * DAY,
    300: kept.check_history_5min_prune_days * DAY,
    3600: kept.check_history_hourly_prune_days * DAY,
  }
}
