import type { ApiError } from '@muster/contract/client'
import { checkCredentials, login, logout } from '@muster/contract/calls/sessions'
import type { Endpoint } from '@muster/contract/endpoint'
import type { QueryClient } from '@tanstack/react-query'
import { onRefusal } from '../api/api.ts'
import type { createConsoleRouter } from '../router.tsx'
import { clearSignIn, getSession, onOtherTab, sessionStore } from './session.ts'
import { lastPageShown, noteOtherTab } from './session-end.ts'
import { askForSignIn } from './sign-in-needed.ts'

/** Leads to the right page when the session ends here, on the server or in another tab. */
export function followSession(
  router: ReturnType<typeof createConsoleRouter>,
  queryClient: QueryClient,
): void {
  onRefusal((error, endpoint) => {
    const way = wayAfterRefusal(error, endpoint)
    if (way === 'sign-in-here') askForSignIn()
    if (way === 'expired') {
      // The server has ended the session already: no sign-out needed.
      clearSignIn()
      void router.navigate({ to: '/expired' })
    }
    if (way === 'totp-setup') void router.navigate({ to: '/totp_setup' })
    if (way === 'password-change') void router.navigate({ to: '/change_password' })
  })
  let token = getSession().access_token
  sessionStore.subscribe(() => {
    const before = token
    token = getSession().access_token
    if (token === before) return
    // Another user may have other permissions: drop all data of the old session.
    if (token === null) queryClient.clear()
  })
  onOtherTab((before, now) => {
    const { pathname } = router.state.location
    if (
      before.access_token !== null &&
      now.access_token === null &&
      pathname !== '/login' &&
      pathname !== '/expired'
    ) {
      noteOtherTab()
      void router.navigate({ to: '/expired' })
    }
    const waits = pathname === '/login' || pathname === '/expired'
    if (now.access_token !== null && waits)
      void router.navigate({ href: lastPageShown() ?? '/', replace: true })
  })
}

// By address: screens call other objects of the same endpoints.
const SIGN_IN_CALLS = new Set([checkCredentials, login, logout].map(addressOf))

/** The page that a refused request leads to, if any. */
function wayAfterRefusal(
  { status, code }: Pick<ApiError, 'status' | 'code'>,
  endpoint: Endpoint,
): 'sign-in-here' | 'expired' | 'totp-setup' | 'password-change' | undefined {
  if (SIGN_IN_CALLS.has(addressOf(endpoint))) return undefined
  if (code === 'totp_required') return 'totp-setup'
  if (code === 'password_change_required') return 'password-change'
  if (status !== 401) return undefined
  // In the grace period an ended session still reads; only a write asks for a new sign-in.
  return code === 'session_expired' && endpoint.method !== 'GET' ? 'sign-in-here' : 'expired'
}

function addressOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`
}
