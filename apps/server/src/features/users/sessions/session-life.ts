const SESSION_HOURS = 12
/** An expired session can still read for a while, so that nothing on screen is lost. */
export const GRACE_MINUTES = 5
/** Use extends a session. It is written at most this often. */
const EXTEND_EVERY_SECONDS = 60

export type SessionAge = 'live' | 'grace' | 'over'

export function endOfSession(now: Date): string {
  return new Date(now.getTime() + SESSION_HOURS * 3_600_000).toISOString()
}

export function ageOfSession(expiresAt: string, now: Date): SessionAge {
  const past = now.getTime() - Date.parse(expiresAt)
  if (past < 0) return 'live'
  return past < GRACE_MINUTES * 60_000 ? 'grace' : 'over'
}

export function isDueToExtend(lastUsedAt: string, now: Date): boolean {
  return now.getTime() - Date.parse(lastUsedAt) >= EXTEND_EVERY_SECONDS * 1000
}
