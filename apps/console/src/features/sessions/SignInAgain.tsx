import { Anchor, Modal, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { signInDone } from '../../app/follow-session.ts'
import { useSession } from '../../app/session.ts'
import { CodeForm } from './CodeForm.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { useSignIn } from './use-sign-in.ts'

/** Over the page when the session has run out: signs in again in place, so that nothing typed is lost. */
export function SignInAgain() {
  const { user_name } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signIn = useSignIn(() => {
    signInDone()
    void queryClient.invalidateQueries()
  })
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has expired"
      size={400}
      zIndex={600}
    >
      <Stack gap="md">
        <div>Sign in again to go on. What you have typed on this page is kept.</div>
        {signIn.step === 'code' ? (
          <CodeForm send={signIn.sendCode} />
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
    </Modal>
  )
}
