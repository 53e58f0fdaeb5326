import { useNavigate } from '@tanstack/react-router'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { takeNext } from '../../../app/session/session.ts'
import { CodeForm, PasswordForm } from './PasswordForm.tsx'
import { useSignIn } from './use-sign-in.ts'

/** Sign-in: user name and password, then the code for users with two-factor. */
export function LoginPage() {
  const navigate = useNavigate()
  const signIn = useSignIn(({ withoutTotp }) => {
    // `next` is kept during the TOTP setup, which ends in another sign-in.
    if (withoutTotp) void navigate({ to: '/totp_setup', replace: true })
    else void navigate({ href: takeNext(), replace: true })
  })
  if (signIn.step === 'code') {
    return (
      <MessagePage title="Enter your code">
        <CodeForm send={signIn.sendCode} onBack={signIn.back} />
      </MessagePage>
    )
  }
  return (
    <MessagePage title="Sign in">
      <PasswordForm send={signIn.sendPassword} />
    </MessagePage>
  )
}
