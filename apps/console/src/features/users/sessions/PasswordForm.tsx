import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { SignInError } from './SignInError.tsx'
import { useAttempt } from './use-attempt.ts'
import type { Credentials } from './use-sign-in.ts'

interface PasswordFormProps {
  /** For a repeated sign-in: the name is fixed. */
  username?: string | undefined
  send: (credentials: Credentials) => Promise<void>
}

/** A plain form with plain names, so that password managers can fill it; Enter submits. */
export function PasswordForm({ username, send }: PasswordFormProps) {
  const { attempt, busy, error, secondsLeft } = useAttempt(send)
  const password = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Read from the form: not every browser fires a change event for password managers.
    const fields = new FormData(event.currentTarget)
    attempt({ username: readText(fields, 'username').trim(), password: readText(fields, 'password') })
    password.current?.select()
  }
  return (
    <form onSubmit={submit} method="post" action="/login">
      <Stack gap="md">
        <SignInError error={error} secondsLeft={secondsLeft} />
        <TextInput
          label="User name"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          {...(username === undefined ? { autoFocus: true } : { defaultValue: username, readOnly: true })}
        />
        <PasswordInput
          ref={password}
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...(username === undefined ? {} : { 'data-autofocus': true })}
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        />
        <Button type="submit" size="sm" loading={busy} disabled={secondsLeft > 0}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

function readText(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}
