import { sessionStore } from './session.ts'
import { createStore, useStore } from './store.ts'

/** Set while the session is in its grace period: reads succeed, writes wait for a new sign-in over the page. */
const signInNeeded = createStore(false)

export const useSignInNeeded = (): boolean => useStore(signInNeeded, (needed) => needed)
export const askForSignIn = (): void => signInNeeded.set(true)

/** Waits while a new sign-in is needed; rejects when the wait is cancelled. */
export function whenSignedIn(signal: AbortSignal): Promise<void> {
  if (!signInNeeded.get()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = signInNeeded.subscribe(() => {
      stop()
      resolve()
    })
    signal.addEventListener('abort', () => {
      stop()
      reject(new Error('given up'))
    })
  })
}

// A new token is the requested sign-in; no token has led to another page.
let token = sessionStore.get().access_token
sessionStore.subscribe(() => {
  const before = token
  token = sessionStore.get().access_token
  if (token !== before) signInNeeded.set(false)
})
