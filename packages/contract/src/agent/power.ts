import { z } from 'zod'

/** `sign_out` and `lock` are about the session of the user at the machine. */
export const PowerAction = z.enum(['reboot', 'shutdown', 'sign_out', 'lock'])
export type PowerAction = z.infer<typeof PowerAction>

/** Actions that lose unsaved work, so the user is warned. */
export const WarnedAction = z.enum(['reboot', 'shutdown', 'sign_out'])
export type WarnedAction = z.infer<typeof WarnedAction>

export const MAX_POWER_MESSAGE = 500
export const POSTPONE_MINUTES = 15
export const MAX_POSTPONEMENTS = 3

/** A planned action. It stays on the machine, with or without a link, until it is done or cancelled. */
export const PowerPlan = z.object({
  id: z.uuid(),
  action: WarnedAction,
  /** From the administrator to the user; may be empty. */
  message: z.string().max(MAX_POWER_MESSAGE),
  seconds: z
    .int()
    .min(1)
    .max(366 * 86_400),
  /** How often the user may postpone it, and by how much each time. */
  postponements: z.int().min(0).max(100),
  postpone_seconds: z.int().min(60).max(86_400),
  /** If no user is signed in: at once, or at the same time. */
  if_nobody: z.enum(['now', 'wait']),
  /** The latest time, from now, that postponements may move it to. Absent = no limit other than their number. */
  deadline_seconds: z
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional(),
})
export type PowerPlan = z.infer<typeof PowerPlan>

/** Progress of a plan. After all states except `planned` the machine has forgotten it. */
export const PowerReport = z.object({
  kind: z.literal('power'),
  id: z.uuid(),
  state: z.enum(['planned', 'done', 'failed', 'skipped']),
  at: z.iso.datetime(),
  due: z.iso.datetime(),
  /** How often the user has postponed it. */
  postponed: z.int().min(0),
  /** A sentence, for `failed` and `skipped`. */
  reason: z.string().max(500).nullable(),
})
export type PowerReport = z.infer<typeof PowerReport>
