import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { resetTotp } from '@muster/contract/api/sessions'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { checkProof, ProofField, proofOf } from './ProofField.tsx'

/** Deletes the user's TOTP key and continues with the setup of a new one. */
export function ResetTotpDialog({ close }: AddressedDialogProps) {
  const navigate = useNavigate()
  const isReset = useRef(false)
  const form = useForm({
    initialValues: { current_password: '' },
    validate: { current_password: checkProof },
  })
  const save = async ({ current_password }: { current_password: string }) => {
    await call(resetTotp, { body: proofOf(current_password) })
    isReset.current = true
  }
  return (
    <FormDialog
      title="Set up two-factor again?"
      size="sm"
      form={form}
      save={save}
      done="Two-factor sign-in reset. Set up a new key now."
      submitLabel="Reset two-factor"
      onClose={() => (isReset.current ? void navigate({ to: '/totp_setup' }) : close())}
    >
      <Stack gap="md">
        <div>Your authenticator app's codes stop working. Your other sessions end.</div>
        <ProofField {...form.getInputProps('current_password')} />
      </Stack>
    </FormDialog>
  )
}
