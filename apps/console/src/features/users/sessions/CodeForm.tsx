import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { SignInError } from './SignInError.tsx'
import { useAttempt } from './use-attempt.ts'

interface CodeFormProps {
  send: (code: string) => Promise<unknown>
  submitLabel?: string
  /** Shown above the field. */
  children?: ReactNode
  onBack?: () => void
}

const DIGITS = 6

/** Asks for the code of an authenticator app; sends it as soon as six digits are typed or pasted. */
export function CodeForm({ send, submitLabel = 'Sign in', children, onBack }: CodeFormProps) {
  const [code, setCode] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const { attempt, busy, error, secondsLeft } = useAttempt(send)
  const submitCode = (digits: string) => {
    if (digits.length !== DIGITS || busy || secondsLeft > 0) return
    attempt(digits, {
      // A rejected code is cleared, so that the field is ready for the next one.
      onError: () => {
        setCode('')
        input.current?.focus()
      },
    })
  }
  const change = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, DIGITS)
    setCode(digits)
    if (digits !== code) submitCode(digits)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    submitCode(code)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        <SignInError error={error} secondsLeft={secondsLeft} />
        <TextInput
          ref={input}
          label="Code"
          description="Six digits from your authenticator app"
          name="twofactor"
          value={code}
          onChange={(event) => change(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="one-time-code"
          classNames={{ input: 'mono' }}
          readOnly={busy}
          autoFocus
        />
        <Button type="submit" size="sm" loading={busy} disabled={code.length !== DIGITS || secondsLeft > 0}>
          {submitLabel}
        </Button>
        {onBack && (
          <Anchor component="button" type="button" onClick={onBack} c="dimmed" size="sm">
            Use another account
          </Anchor>
        )}
      </Stack>
    </form>
  )
}
