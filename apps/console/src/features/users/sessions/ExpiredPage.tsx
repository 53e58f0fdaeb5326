import { Button } from '@mantine/core'
import { logout } from '@muster/contract/api/sessions'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { call } from '../../../app/api/api.ts'
import { clearSignIn, isSignedIn } from '../../../app/session/session.ts'

/** The page after a session ended or a sign-out. */
export function ExpiredPage() {
  useEffect(signOut, [])
  return (
    <MessagePage title="You are signed out">
      <p>Your session has ended. Sign in again to continue.</p>
      <Button component={Link} to="/login" size="sm" data-autofocus>
        Sign in
      </Button>
    </MessagePage>
  )
}

/** Ends the session on the server if there is one, and here in any case. */
function signOut(): void {
  if (!isSignedIn()) return
  // The token is read when the call starts; its result does not matter here.
  call(logout, {}).catch(() => undefined)
  clearSignIn()
}
