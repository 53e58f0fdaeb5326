import { PasswordInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../app/api/queries.ts'
import { useSession } from '../../app/session/session.ts'

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
