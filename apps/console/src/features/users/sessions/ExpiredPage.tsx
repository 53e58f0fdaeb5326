import { Button } from '@mantine/core'
import { logout } from '@muster/contract/api/sessions'
import { getSsoSignOut } from '@muster/contract/api/sso'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { SkeletonRows } from '../../../ui/layout/States.tsx'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { call } from '../../../app/api/api.ts'
import { clearSignIn, getSession, isSignedIn } from '../../../app/session/session.ts'

/** The page after a session ended or a sign-out. */
export function ExpiredPage() {
  const [isLeaving, setLeaving] = useState(() => isSignedIn() && getSession().sso_provider !== null)
  useEffect(() => void signOut().then(() => setLeaving(false)), [])
  if (isLeaving)
    return (
      <MessagePage title="Signing out">
        <SkeletonRows rows={2} />
      </MessagePage>
    )
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
async function signOut(): Promise<void> {
  if (!isSignedIn()) return
  const url = getSession().sso_provider === null ? null : await findSignOut()
  // The token is read when the call starts; its result does not matter here.
  call(logout, {}).catch(() => undefined)
  clearSignIn()
  if (url !== null) location.assign(url)
}

/** The address that signs out at the provider. The session has to be open when it is asked for. */
const findSignOut = () =>
  call(getSsoSignOut, {}).then(
    ({ url }) => url,
    () => null,
  )
