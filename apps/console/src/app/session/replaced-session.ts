import { readStoredToken, sessionStore } from './session.ts'

// Signing in again ends the old session. Its sockets close and its requests are refused before the new token is stored,
// and another tab may be signing in. So a sign-in holds a lock that all tabs see, and a 401 counts as the end of the
// session only while the lock is free.
const LOCK = 'muster sign-in'
/** Another tab's token arrives a moment after its lock is free; without locks (plain HTTP) this is the whole wait. */
const STORED_WITHIN_MS = 250

/** Runs a sign-in until its token is stored, while other tabs wait. */
export function duringSignIn<Result>(run: () => Promise<Result>): Promise<Result> {
  return hasLocks() ? navigator.locks.request(LOCK, run) : run()
}

/** Whether a new sign-in replaces the session with this token, now or in a moment. */
export async function isReplacedSoon(token: string | null): Promise<boolean> {
  if (token === null) return false
  if (isReplaced(token)) return true
  if (hasLocks() && !(await waitForSignIn())) return isReplaced(token)
  if (isReplaced(token)) return true
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = sessionStore.subscribe(resolve)
  const timer = setTimeout(resolve, STORED_WITHIN_MS)
  await promise
  stop()
  clearTimeout(timer)
  return isReplaced(token)
}

/** Waits until a sign-in in any tab has ended; false when there is none. */
async function waitForSignIn(): Promise<boolean> {
  const { held } = await navigator.locks.query()
  if (held?.some(({ name }) => name === LOCK) !== true) return false
  await navigator.locks.request(LOCK, { mode: 'shared' }, () => undefined)
  return true
}

function isReplaced(token: string): boolean {
  const now = readStoredToken()
  return now !== null && now !== token
}

/** Browsers offer locks on HTTPS and localhost only. */
const hasLocks = (): boolean => 'locks' in navigator
