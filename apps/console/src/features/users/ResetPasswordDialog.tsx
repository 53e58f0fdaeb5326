import { PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NewPassword, resetPassword } from '@muster/contract/api/sessions'
import { FormDialog } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useSession } from '../../app/session.ts'

/** A new password for oneself; the other sessions end with the old one. */
export function ResetPasswordDialog({ close }: AddressedDialogProps) {
  const { user_name } = useSession()
  const form = useForm({
    initialValues: { password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      password: (password) => NewPassword.safeParse(password).error?.issues[0]?.message ?? null,
      again: (again, { password }) => (again === password ? null : 'The two passwords differ.'),
    },
  })
  return (
    <FormDialog
      title="Reset password"
      size="sm"
      form={form}
      save={({ password }) => call(resetPassword, { body: { password } })}
      done="Your password is changed. Your other sessions have ended."
      onClose={close}
    >
      <Stack gap="md">
        {/* Password managers save the new password under this name. */}
        <input type="text" name="username" autoComplete="username" value={user_name ?? ''} readOnly hidden />
        <PasswordInput
          label="New password"
          description="At least 10 characters"
          name="new-password"
          autoComplete="new-password"
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="New password, again"
          name="new-password-again"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('again')}
        />
      </Stack>
    </FormDialog>
  )
}
