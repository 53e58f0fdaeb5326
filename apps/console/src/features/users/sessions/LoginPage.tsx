import { useNavigate } from '@tanstack/react-router'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { usePageTitle } from '../../../app/shell/page-title.ts'
import { ProviderLinks } from '../../sso/ProviderLinks.tsx'
import { whyNoPasskeys } from '../passkeys/browser-passkeys.ts'
import { PasskeyButton, PasswordForm, SecondStepForm } from './PasswordForm.tsx'
import { useOpenNext } from './use-open-next.ts'
import { useSignIn } from './use-sign-in.ts'

/** Sign-in: user name and password, then the code or passkey of users with two-factor; or a passkey alone. */
export function LoginPage() {
  usePageTitle('Sign in')
  const navigate = useNavigate()
  const openNext = useOpenNext()
  const signIn = useSignIn(({ withoutTotp, mustChangePassword }) => {
    // `next` is kept during the password change and the TOTP setup.
    if (mustChangePassword) void navigate({ to: '/change_password', replace: true })
    else if (withoutTotp) void navigate({ to: '/totp_setup', replace: true })
    else void openNext()
  })
  if (signIn.step === 'code') {
    return (
      <MessagePage title={signIn.hasPasskey ? 'Confirm your sign-in' : 'Enter your code'}>
        <SecondStepForm signIn={signIn} onBack={signIn.back} />
      </MessagePage>
    )
  }
  return (
    <MessagePage title="Sign in">
      <PasswordForm send={signIn.sendPassword} />
      {whyNoPasskeys() === undefined && (
        <PasskeyButton label="Sign in with a passkey" send={signIn.sendPasskey} />
      )}
      <ProviderLinks />
    </MessagePage>
  )
}
