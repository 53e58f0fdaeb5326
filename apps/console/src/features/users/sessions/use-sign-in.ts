import { type SignIn, checkCredentials, login } from '@muster/contract/api/sessions'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { duringSignIn } from '../../../app/session/replaced-session.ts'
import { storeSignIn } from '../../../app/session/session.ts'

export interface Credentials {
  username: string
  password: string
}

export interface SignedIn {
  /** The user has no second factor yet. */
  withoutTotp: boolean
}

/** The two steps of signing in: the password, then a code for users with TOTP. */
export function useSignIn(onSignedIn: (result: SignedIn) => void) {
  const [credentials, setCredentials] = useState<Credentials>()
  const sendPassword = async (body: Credentials): Promise<void> => {
    const answer = await call(checkCredentials, { body })
    if (keep(answer)) onSignedIn({ withoutTotp: !answer.totp })
    else setCredentials(body)
  }
  const sendCode = async (twofactor: string): Promise<void> => {
    if (credentials === undefined) throw new Error('the code was asked for before the password')
    const answer = await call(login, { body: { ...credentials, twofactor } })
    if (keep(answer)) onSignedIn({ withoutTotp: false })
  }
  return {
    step: credentials === undefined ? ('password' as const) : ('code' as const),
    sendPassword: (body: Credentials) => duringSignIn(() => sendPassword(body)),
    sendCode: (twofactor: string) => duringSignIn(() => sendCode(twofactor)),
    back: () => setCredentials(undefined),
  }
}

/** Stores the session of a response, if it contains one. */
function keep({ token, username, name }: SignIn): boolean {
  if (token === undefined || username === undefined) return false
  storeSignIn({ token, username, name })
  return true
}
