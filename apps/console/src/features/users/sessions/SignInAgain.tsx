import { Anchor, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../../../app/session/session.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ProviderLink } from '../../sso/ProviderLinks.tsx'
import { PasswordForm, SecondStepForm } from './PasswordForm.tsx'
import { useSignIn } from './use-sign-in.ts'

/** Shown over the page after the session expired: signs in again in place, so that typed text is kept. */
export function SignInAgain() {
  const { user_name, sso_provider: provider } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signIn = useSignIn(() => {
    void queryClient.invalidateQueries()
  })
  return (
    <Dialog title="Your session has expired" size="sm" zIndex={600}>
      <Stack gap="md">
        <div>
          Sign in again{provider === null ? '' : ' in a new tab'} to continue. Your input on this page is
          kept.
        </div>
        {provider !== null ? (
          <ProviderLink name={provider} newTab />
        ) : signIn.step === 'code' ? (
          <SecondStepForm signIn={signIn} />
        ) : (
          <PasswordForm username={user_name ?? undefined} send={signIn.sendPassword} />
        )}
        <Anchor
          component="button"
          type="button"
          c="dimmed"
          size="sm"
          onClick={() => void navigate({ to: '/expired' })}
        >
          Sign out
        </Anchor>
      </Stack>
    </Dialog>
  )
}
