import { confirmSession } from '@muster/contract/api/sessions'
import { call } from '../../../app/api/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CodeForm } from './PasswordForm.tsx'

interface ConfirmCodeProps {
  /** Why a code is required. */
  message: string
  onConfirmed: () => void
  onClose: () => void
}

/** Asks the signed-in user for another code, before actions that require one by role. */
export function ConfirmCode({ message, onConfirmed, onClose }: ConfirmCodeProps) {
  const send = async (twofactor: string) => {
    await call(confirmSession, { body: { twofactor } })
    onConfirmed()
  }
  return (
    <Dialog title="Enter your code" size="sm" onClose={onClose}>
      <CodeForm send={send} submitLabel="Continue">
        <div>{message}</div>
      </CodeForm>
    </Dialog>
  )
}
