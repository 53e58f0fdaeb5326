import { resetTotp } from '@muster/contract/api/sessions'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { notify } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

/** Forgets the user's TOTP key and goes on to setting up a new one. */
export function ResetTotpDialog({ close }: AddressedDialogProps) {
  const navigate = useNavigate()
  const reset = useMutation({
    mutationFn: () => call(resetTotp, {}),
    onSuccess: () => {
      notify('The old key is forgotten. Set up a new one now.', { tone: 'info' })
      void navigate({ to: '/totp_setup' })
    },
  })
  return (
    <ConfirmDialog
      title="Reset two-factor sign-in?"
      message="Your authenticator app's codes stop working. You set up a new key next."
      confirmLabel="Reset"
      danger
      busy={reset.isPending}
      onConfirm={() => reset.mutate()}
      onClose={close}
    />
  )
}
