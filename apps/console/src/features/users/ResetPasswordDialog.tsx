import { PasswordInput, Stack } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import { resetPassword, resetTotp } from '@muster/contract/api/sessions'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { useQuery } from '@tanstack/react-query'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { meQuery } from '../../app/api/queries.ts'
import { useSession } from '../../app/session/session.ts'
import { checkNewPassword, describeMinimum, useMinPasswordLength } from './accounts/NewPasswordField.tsx'

/** Changes the user's own password; the other sessions end. */
export function ResetPasswordDialog({ close }: AddressedDialogProps) {
  const { form, save, fields } = useOwnPassword()
  return (
    <FormDialog
      title="Change password"
      size="sm"
      form={form}
      save={save}
      done="Password changed. Your other sessions have ended."
      onClose={close}
    >
      {fields}
    </FormDialog>
  )
}

/** The form with which users change their own password. */
export function useOwnPassword() {
  const minCharacters = useMinPasswordLength()
  const form = useForm({
    initialValues: { current_password: '', password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      current_password: checkProof,
      password: (password) => checkNewPassword(password, minCharacters),
      again: (again, { password }) => (again === password ? null : 'The passwords do not match.'),
    },
  })
  const save = ({ current_password, password }: typeof form.values) =>
    call(resetPassword, { body: { ...proofOf(current_password), password } })
  const fields = (
    <Stack gap="md">
      <ProofField {...form.getInputProps('current_password')} />
      <PasswordInput
        label="New password"
        description={describeMinimum(minCharacters)}
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
  )
  return { form, save, fields }
}

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

/** Asks for the current password, or a code with an authenticator, before the account changes. */
export function ProofField(inputProps: GetInputPropsReturnType) {
  const { user_name } = useSession()
  const { data: me } = useQuery(meQuery)
  return (
    <>
      {/* Password managers find the account by it. */}
      <input type="text" name="username" autoComplete="username" value={user_name ?? ''} readOnly hidden />
      <PasswordInput
        label={me?.totp === true ? 'Current password or code' : 'Current password'}
        name="current-password"
        autoComplete="current-password"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show current password' }}
        {...inputProps}
      />
    </>
  )
}

export function checkProof(text: string): string | null {
  return text === '' ? 'Enter your current password.' : null
}

/** Six digits are a code: passwords are longer. */
export function proofOf(text: string): { twofactor: string } | { current_password: string } {
  return /^\s*\d{3}\s?\d{3}\s*$/.test(text) ? { twofactor: text } : { current_password: text }
}
