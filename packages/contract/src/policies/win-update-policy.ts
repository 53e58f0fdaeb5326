import { z } from 'zod'
import { AgentId } from '../fields.ts'

/**
 * The patch part of a policy in the words of other products. What these words cannot say (ages, categories, rings,
 * scripts, deferrals) is left out.
 */

const SeverityAction = z.enum(['manual', 'approve', 'ignore'])
const RestartAction = z.enum(['never', 'required', 'always'])

const times = {
  /** By the clock of each machine. */
  run_time_hour: z.int().min(0).max(23),
  /** For `daily`: 0 = Monday. Without any, every day. */
  run_time_days: z.array(z.int().min(0).max(6)).max(7),
  /** For `monthly`: 31 = the last day. Months without day 29 or 30 are skipped. */
  run_time_day: z.int().min(1).max(31),
}

/** The fields of a request. */
export const WinUpdateFields = z.object({
  critical: SeverityAction.default('ignore'),
  important: SeverityAction.default('ignore'),
  moderate: SeverityAction.default('ignore'),
  low: SeverityAction.default('ignore'),
  /** Patches without a severity. */
  other: SeverityAction.default('ignore'),
  run_time_frequency: z.enum(['daily', 'monthly']).default('daily'),
  run_time_hour: times.run_time_hour.default(3),
  run_time_days: times.run_time_days.default([]),
  run_time_day: times.run_time_day.default(1),
  /** A signed-in user is warned. */
  reboot_after_install: RestartAction.default('never'),
  /** An alert, which notifies by all channels that its template chooses. Omitted = as before. */
  email_if_fail: z.boolean().optional(),
})
export type WinUpdateFields = z.infer<typeof WinUpdateFields>

const OrInherit = z.enum([...SeverityAction.options, 'inherit'])

const RETRIES = 'An installation that fails is tried once more. This cannot be changed.'

/** The fields of a response. `inherit` = left to other policies. */
export const WinUpdateView = z.object({
  critical: OrInherit,
  important: OrInherit,
  moderate: OrInherit,
  low: OrInherit,
  other: OrInherit,
  /** `window` = inside maintenance windows, `never` = no automatic installation. */
  run_time_frequency: z.enum(['daily', 'monthly', 'window', 'never', 'inherit']),
  ...times,
  reboot_after_install: z.enum([...RestartAction.options, 'inherit']),
  reprocess_failed_inherit: z.literal(false, RETRIES),
  reprocess_failed: z.literal(true, RETRIES),
  reprocess_failed_times: z.literal(1, RETRIES),
  email_if_fail: z.boolean(),
})
export type WinUpdateView = z.infer<typeof WinUpdateView>

/** The own patch policy of a machine in a response. */
export const OwnWinUpdate = WinUpdateView.extend({ id: z.int(), agent: AgentId })

/** The same in a request. Omitted fields stay; `id` and `agent` are ignored. */
export const OwnWinUpdateChange = OwnWinUpdate.extend({
  run_time_frequency: z.enum(
    ['daily', 'monthly', 'window', 'inherit'],
    'Use daily, monthly, window or inherit.',
  ),
}).partial()
export type OwnWinUpdateChange = z.infer<typeof OwnWinUpdateChange>
