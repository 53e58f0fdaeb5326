import { readStoredToken, sessionStore } from './session.ts'

// Signing in anew ends the old session. Its sockets close and its requests are refused before the new token is
// stored, and the tab that signs in may be another one; so whoever signs in holds a lock that all tabs see, and a
// refusal is taken for the end only when nobody holds it.
const LOCK = 'muster sign-in'
/** The token of another tab arrives a moment after its lock is free; without locks (plain HTTP) this is all the wait. */
const STORED_WITHIN_MS = 250

/** Runs a sign-in, up to the storing of its token, so that other tabs wait for its end. */
export function duringSignIn<Result>(run: () => Promise<Result>): Promise<Result> {
  return hasLocks() ? navigator.locks.request(LOCK, run) : run()
}

/** Whether a new sign-in takes the place of the one with this token, now or in a moment. */
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

/** Waits for the end of a sign-in in any tab; false when there is none. */
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

/** Browsers offer locks on HTTPS and on the own machine only. */
const hasLocks = (): boolean => 'locks' in navigator
