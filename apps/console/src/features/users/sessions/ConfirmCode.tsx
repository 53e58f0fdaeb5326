import { Stack } from '@mantine/core'
import { confirmSession, type OwnerProof } from '@muster/contract/api/sessions'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { useMe } from '../../../app/api/queries.ts'
import { useSession } from '../../../app/session/session.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ProviderLink } from '../../sso/ProviderLinks.tsx'
import { CodeForm, PasswordForm, TextButton } from './PasswordForm.tsx'

interface ConfirmCodeProps {
  /** Why a code is required. */
  message: string
  onConfirmed: () => void
  onClose: () => void
}

/** Asks the signed-in user for another code, before actions that require one by role. */
export function ConfirmCode({ message, onConfirmed, onClose }: ConfirmCodeProps) {
  return (
    <Dialog title="Enter your code" size="sm" onClose={onClose}>
      <CodeForm send={(twofactor) => confirm({ twofactor }, onConfirmed)} submitLabel="Continue">
        <div>{message}</div>
      </CodeForm>
    </Dialog>
  )
}

/** Asks for the password or a code, before changes whose access outlasts the session. */
export function ConfirmOwner({ message, onConfirmed, onClose }: ConfirmCodeProps) {
  const { user_name, sso_provider: provider } = useSession()
  const hasCode = useMe()?.totp === true
  const [factor, setFactor] = useState<'password' | 'code'>('password')
  const other = factor === 'password' ? 'code' : 'password'
  const below = hasCode && (
    <TextButton onClick={() => setFactor(other)}>
      {other === 'code' ? 'Use a code of the authenticator app' : 'Use your password'}
    </TextButton>
  )
  return (
    <Dialog title="Confirm that it is you" size="sm" zIndex={600} onClose={onClose}>
      {provider !== null ? (
        <Stack gap="md">
          <div>{message} A new tab opens, and your input on this page is kept.</div>
          <ProviderLink name={provider} newTab />
        </Stack>
      ) : factor === 'code' ? (
        <CodeForm
          send={(twofactor) => confirm({ twofactor }, onConfirmed)}
          submitLabel="Continue"
          below={below}
        >
          <div>{message}</div>
        </CodeForm>
      ) : (
        <PasswordForm
          username={user_name ?? undefined}
          send={({ password }) => confirm({ current_password: password }, onConfirmed)}
          submitLabel="Continue"
          below={below}
        >
          <div>{message}</div>
        </PasswordForm>
      )}
    </Dialog>
  )
}

async function confirm(body: OwnerProof, onConfirmed: () => void): Promise<void> {
  await call(confirmSession, { body })
  onConfirmed()
}
