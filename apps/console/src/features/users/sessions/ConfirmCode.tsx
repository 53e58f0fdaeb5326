import { confirmSession } from '@muster/contract/api/sessions'
import { call } from '../../../app/api/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CodeForm } from './CodeForm.tsx'

interface ConfirmCodeProps {
  /** Why a code is asked for. */
  message: string
  onConfirmed: () => void
  onClose: () => void
}

/** Asks who is signed in for a code once more, before something that the role asks one for. */
export function ConfirmCode({ message, onConfirmed, onClose }: ConfirmCodeProps) {
  const send = async (twofactor: string) => {
    await call(confirmSession, { body: { twofactor } })
    onConfirmed()
  }
  return (
    <Dialog title="Enter your code" size="sm" onClose={onClose}>
      <CodeForm send={send} submitLabel="Go on">
        <div>{message}</div>
      </CodeForm>
    </Dialog>
  )
}
