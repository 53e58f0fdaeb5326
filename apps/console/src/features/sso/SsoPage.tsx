import { Button } from '@mantine/core'
import { finishSsoSignIn, startSsoSignIn } from '@muster/contract/api/sso'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { duringSignIn } from '../../app/session/replaced-session.ts'
import { storeSignIn } from '../../app/session/session.ts'
import { MessagePage } from '../../app/shell/MessagePage.tsx'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { useOpenNext } from '../users/sessions/use-open-next.ts'

/** Leads to a provider (`?provider=corp`), and is the page to which providers return (`?code=...&state=...`). */
export function SsoPage() {
  const { searchStr } = useLocation()
  const [query] = useState(searchStr.slice(1))
  const openNext = useOpenNext()
  const [error, setError] = useState<unknown>()
  // The response of a provider works once, so a second run of the effect must not send it.
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    const provider = new URLSearchParams(query).get('provider')
    if (provider === null) void signIn(query).then(openNext, setError)
    else void leaveFor(provider).catch(setError)
  }, [query, openNext])
  if (error !== undefined)
    return (
      <MessagePage title="Sign-in failed">
        <p>{describeError(error).message}</p>
        <Button component={Link} to="/login" size="sm">
          Back to sign-in
        </Button>
      </MessagePage>
    )
  return (
    <MessagePage title="Signing in">
      <SkeletonRows rows={2} />
    </MessagePage>
  )
}

async function leaveFor(provider: string): Promise<void> {
  const { url } = await call(startSsoSignIn, { body: { provider } })
  location.assign(url)
}

const signIn = (query: string) =>
  duringSignIn(async () => {
    const { token, username, name, provider } = await call(finishSsoSignIn, { body: { query } })
    if (token === undefined || username === undefined) throw new Error('the sign-in returned no session')
    storeSignIn({ token, username, name, provider })
  })
