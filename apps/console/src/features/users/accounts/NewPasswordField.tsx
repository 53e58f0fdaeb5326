import { Button, PasswordInput, type PasswordInputProps } from '@mantine/core'
import { MIN_PASSWORD_CHARACTERS, NewPassword } from '@muster/contract/api/sessions'
import { findPasswordFault } from '@muster/rules/text/weak-password'
import { useState } from 'react'
import { useMe } from '../../../app/api/queries.ts'
import classes from './Users.module.css'

/** The server also refuses leaked passwords, whose list is too long for a browser. */
export const checkNewPassword = (password: string, minCharacters: number) =>
  findPasswordFault(password, { minCharacters }) ??
  NewPassword.safeParse(password).error?.issues[0]?.message ??
  null

export const MUST_CHANGE_PASSWORD = 'Must change the password at next sign-in'

export const describeMinimum = (minCharacters: number) => `At least ${minCharacters} characters`

/** The minimum length of new passwords, for signed-in users. */
export function useMinPasswordLength(): number {
  return useMe()?.password_min_length ?? MIN_PASSWORD_CHARACTERS
}

interface NewPasswordFieldProps extends PasswordInputProps {
  label: string
  onGenerate: (password: string) => void
}

/** A password for another user: typed or generated, and shown so that it can be handed over. */
export function NewPasswordField({ onGenerate, autoFocus = false, ...rest }: NewPasswordFieldProps) {
  const [isVisible, setVisible] = useState(false)
  const minCharacters = useMinPasswordLength()
  return (
    <div className={classes.password}>
      <PasswordInput
        description={describeMinimum(minCharacters)}
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
          onGenerate(generatePassword(minCharacters))
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
const GENERATED_CHARACTERS = 20

function generatePassword(minCharacters: number): string {
  const length = Math.max(GENERATED_CHARACTERS, minCharacters)
  // Bytes above the last whole multiple would make the first letters more frequent.
  const bound = 256 - (256 % LETTERS.length)
  let password = ''
  while (password.length < length) {
    const [byte = bound] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < bound) password += LETTERS[byte % LETTERS.length]
  }
  return password
}
