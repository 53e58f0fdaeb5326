import type { ApiError } from '@muster/contract/client'
import { checkCredentials, login, logout } from '@muster/contract/api/sessions'
import type { Endpoint } from '@muster/contract/endpoint'
import type { QueryClient } from '@tanstack/react-query'
import { onRefusal } from './api.ts'
import type { createConsoleRouter } from './router.tsx'
import { getSession, onOtherTab, sessionStore } from './session.ts'
import { createStore, useStore } from './store.ts'

/** Set while the session is in its grace: reads answer, writes wait for a new sign-in over the page. */
const signInNeeded = createStore(false)
export const useSignInNeeded = (): boolean => useStore(signInNeeded, (needed) => needed)
export const askForSignIn = (): void => signInNeeded.set(true)
export const signInDone = (): void => signInNeeded.set(false)

/** Leads to the right page when the session ends here, on the server or in another tab. */
export function followSession(
  router: ReturnType<typeof createConsoleRouter>,
  queryClient: QueryClient,
): void {
  onRefusal((error, endpoint) => {
    const way = wayAfterRefusal(error, endpoint)
    if (way === 'sign-in-here') askForSignIn()
    if (way === 'expired') void router.navigate({ to: '/expired' })
    if (way === 'totp-setup') void router.navigate({ to: '/totp_setup' })
  })
  let token = getSession().access_token
  sessionStore.subscribe(() => {
    const before = token
    token = getSession().access_token
    if (token === before) return
    signInDone()
    // Another user may see other things: nothing of the old session is shown to the new one.
    if (token === null) queryClient.clear()
  })
  onOtherTab((before, now) => {
    const { pathname } = router.state.location
    if (before.access_token !== null && now.access_token === null && pathname !== '/login') {
      void router.navigate({ to: '/expired' })
    }
    if (before.access_token === null && now.access_token !== null && pathname === '/login') {
      void router.navigate({ href: now.next ?? '/', replace: true })
    }
  })
}

const SIGN_IN_CALLS = new Set<Endpoint>([checkCredentials, login, logout])

/** Where a refused call leads, if anywhere. */
export function wayAfterRefusal(
  { status, code }: Pick<ApiError, 'status' | 'code'>,
  endpoint: Endpoint,
): 'sign-in-here' | 'expired' | 'totp-setup' | undefined {
  if (SIGN_IN_CALLS.has(endpoint)) return undefined
  if (code === 'totp_required') return 'totp-setup'
  if (status !== 401) return undefined
  // In the grace after its end a session still reads; only a write is told to sign in again.
  return code === 'session_expired' && endpoint.method !== 'GET' ? 'sign-in-here' : 'expired'
}
