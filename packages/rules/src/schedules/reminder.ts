/** The minute at which reminders are offered. */
export const REMINDER_MINUTE = 35

/** The next hh:35 of the local clock, strictly in the future, in milliseconds. */
export function nextReminderAt(nowMs: number): number {
  // Stepping by minutes is correct in zones with offsets of less than an hour.
  let atMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  do atMs += MINUTE_MS
  while (new Date(atMs).getMinutes() !== REMINDER_MINUTE)
  return atMs
}

const MINUTE_MS = 60_000
