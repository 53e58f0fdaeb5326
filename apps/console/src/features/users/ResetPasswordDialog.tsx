import { PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { resetPassword } from '@muster/contract/api/sessions'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { checkNewPassword } from './accounts/NewPasswordField.tsx'
import { checkProof, ProofField, proofOf } from './ProofField.tsx'

/** Changes the user's own password; the other sessions end. */
export function ResetPasswordDialog({ close }: AddressedDialogProps) {
  const form = useForm({
    initialValues: { current_password: '', password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      current_password: checkProof,
      password: checkNewPassword,
      again: (again, { password }) => (again === password ? null : 'The passwords do not match.'),
    },
  })
  return (
    <FormDialog
      title="Change password"
      size="sm"
      form={form}
      save={({ current_password, password }) =>
        call(resetPassword, { body: { ...proofOf(current_password), password } })
      }
      done="Password changed. Your other sessions have ended."
      onClose={close}
    >
      <Stack gap="md">
        <ProofField {...form.getInputProps('current_password')} />
        <PasswordInput
          label="New password"
          description="At least 10 characters"
          name="new-password"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="Repeat new password"
          name="new-password-again"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          {...form.getInputProps('again')}
        />
      </Stack>
    </FormDialog>
  )
}
