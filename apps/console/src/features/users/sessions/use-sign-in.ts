import { startPasskeySignIn, signInWithPasskey } from '@muster/contract/api/passkeys'
import { type PasskeyRequest, type SignIn, checkCredentials, login } from '@muster/contract/api/sessions'
import { ApiError } from '@muster/contract/client'
import { useRef, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { duringSignIn } from '../../../app/session/replaced-session.ts'
import { notify } from '../../../app/shell/notify.ts'
import { storeSignIn } from '../../../app/session/session.ts'
import { signWithPasskey } from '../passkeys/browser-passkeys.ts'

export interface Credentials {
  username: string
  password: string
}

export interface SignedIn {
  /** The user has no second factor yet. */
  withoutTotp: boolean
  mustChangePassword: boolean
}

/** The steps of signing in: the password, then a code or a passkey for users who have one; or a passkey alone. */
export function useSignIn(onSignedIn: (result: SignedIn) => void) {
  const [credentials, setCredentials] = useState<Credentials>()
  /** The second factors, after the password. */
  const [factors, setFactors] = useState({ hasCode: true, hasPasskey: false })
  /** Each request of the server works once. */
  const request = useRef<PasskeyRequest>(undefined)
  const sendPassword = async (body: Credentials): Promise<void> => {
    const answer = await call(checkCredentials, { body })
    if (keep(answer)) onSignedIn({ withoutTotp: !answer.totp, ...pendingOf(answer) })
    else {
      request.current = answer.passkey?.request
      setFactors({
        hasCode: answer.passkey?.or_code ?? true,
        hasPasskey: answer.passkey !== undefined,
      })
      setCredentials(body)
    }
  }
  const sendCode = async (twofactor: string): Promise<void> => {
    if (credentials === undefined) throw new Error('the code was asked for before the password')
    const answer = await call(login, { body: { ...credentials, twofactor } })
    if (!keep(answer)) return
    if (answer.recovery_codes_left !== undefined) notify(describeLeft(answer.recovery_codes_left))
    onSignedIn({ withoutTotp: false, ...pendingOf(answer) })
  }
  const sendPasskey = async (): Promise<void> => {
    const asked = request.current ?? (await requestPasskey(credentials))
    request.current = undefined
    const body = await signWithPasskey(asked)
    // Not before: other tabs wait for the end of a sign-in, and the user may take minutes.
    await duringSignIn(async () => {
      const answer = await call(signInWithPasskey, { body })
      if (keep(answer)) onSignedIn({ withoutTotp: false, ...pendingOf(answer) })
    })
  }
  return {
    ...factors,
    step: credentials === undefined ? ('password' as const) : ('code' as const),
    sendPassword: (body: Credentials) => duringSignIn(() => sendPassword(body)),
    sendCode: (twofactor: string) => duringSignIn(() => sendCode(twofactor)),
    sendPasskey,
    back: () => {
      request.current = undefined
      setCredentials(undefined)
    },
  }
}

/** Without a password, any passkey of this server. */
async function requestPasskey(credentials: Credentials | undefined): Promise<PasskeyRequest> {
  if (credentials === undefined) return call(startPasskeySignIn, {})
  const { passkey } = await call(checkCredentials, { body: credentials })
  if (passkey === undefined)
    throw new ApiError('Your passkeys were deleted. Sign in again.', { status: 400, code: 'invalid' })
  return passkey.request
}

const pendingOf = ({ must_change_password }: SignIn) => ({
  mustChangePassword: must_change_password === true,
})

function describeLeft(left: number): string {
  if (left === 0) return 'No recovery codes left. Create new ones in your account menu.'
  return `Recovery code used. ${left} left.`
}

/** Stores the session of a response, if it contains one. */
function keep({ token, username, name }: SignIn): boolean {
  if (token === undefined || username === undefined) return false
  storeSignIn({ token, username, name })
  return true
}
