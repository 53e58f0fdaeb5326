import { Button, PasswordInput, type PasswordInputProps } from '@mantine/core'
import { NewPassword } from '@muster/contract/api/sessions'
import { findPasswordFault } from '@muster/rules/text/weak-password'
import { useState } from 'react'
import classes from './Users.module.css'

export const checkNewPassword = (password: string) =>
  NewPassword.safeParse(password).error?.issues[0]?.message ?? findPasswordFault(password) ?? null

interface NewPasswordFieldProps extends PasswordInputProps {
  label: string
  onGenerate: (password: string) => void
}

/** A password for another user: typed or generated, and shown so that it can be handed over. */
export function NewPasswordField({ onGenerate, autoFocus = false, ...rest }: NewPasswordFieldProps) {
  const [isVisible, setVisible] = useState(false)
  return (
    <div className={classes.password}>
      <PasswordInput
        description="At least 10 characters"
        name="new-password"
        autoComplete="new-password"
        visible={isVisible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        {...(autoFocus ? { 'data-autofocus': true } : {})}
        {...rest}
      />
      <Button
        variant="default"
        className={classes.generate ?? ''}
        onClick={() => {
          onGenerate(generatePassword())
          setVisible(true)
        }}
      >
        Generate password
      </Button>
    </div>
  )
}

/** Without look-alikes, since it may be typed from a screen. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

function generatePassword(): string {
  // Bytes above the last whole multiple would make the first letters more frequent.
  const bound = 256 - (256 % LETTERS.length)
  let password = ''
  while (password.length < LENGTH) {
    const [byte = bound] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < bound) password += LETTERS[byte % LETTERS.length]
  }
  return password
}
