/** How a policy restarts machines after an installation: the contract's PatchReboot. */
export interface PatchReboot {
  /** `nobody`: only while nobody is signed in. `warn`: a signed-in user is warned and may postpone it. */
  when: 'never' | 'nobody' | 'warn'
  /** Only if the machine or a patch asks for it. */
  only_if_needed: boolean
  /** To the signed-in user. */
  message: string
  delay_minutes: number
  postponements: number
  postpone_minutes: number
  /** From the end of the installation. `nobody` gives up then; `warn` restarts at the latest then. */
  deadline_hours: number
}

export interface Postponable {
  dueMs: number
  /** How often it may still be postponed. */
  postponements: number
  postpone_seconds: number
  /** Undefined = no limit other than the number. */
  deadlineMs?: number | undefined
}

/** The new time of a restart that the user postpones now. It never moves past the deadline, and never forward in time. */
export function postpone({ dueMs, postponements, postpone_seconds, deadlineMs }: Postponable): {
  dueMs: number
  postponements: number
} {
  const wantedMs = dueMs + postpone_seconds * 1000
  const latestMs = Math.max(deadlineMs ?? Infinity, dueMs)
  // At the deadline there is nothing left to postpone.
  return wantedMs >= latestMs
    ? { dueMs: latestMs, postponements: 0 }
    : { dueMs: wantedMs, postponements: Math.max(0, postponements - 1) }
}
