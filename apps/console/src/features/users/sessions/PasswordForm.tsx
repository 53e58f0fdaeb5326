import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError } from '@muster/contract/client'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { describeError, isAborted } from '../../../app/api/describe-error.ts'
import { ErrorBox } from '../../../ui/layout/States.tsx'
import type { Credentials, useSignIn } from './use-sign-in.ts'

interface PasswordFormProps {
  /** For a repeated sign-in: the name is fixed. */
  username?: string | undefined
  send: (credentials: Credentials) => Promise<void>
  submitLabel?: string
  /** Shown above the fields. */
  children?: ReactNode
  /** Shown below the button. */
  below?: ReactNode
}

/** A plain form with plain names, so that password managers can fill it; Enter submits. */
export function PasswordForm({
  username,
  send,
  submitLabel = 'Sign in',
  children,
  below,
}: PasswordFormProps) {
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
        {children}
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
          {submitLabel}
        </Button>
        {below}
      </Stack>
    </form>
  )
}

function readText(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** The error of a sign-in step; after too many attempts, with a countdown. */
function SignInError({ error, secondsLeft }: { error: unknown; secondsLeft: number }) {
  if (error === null || error === undefined || isAborted(error)) return null
  const { message, caption } = describeError(error)
  if (!(error instanceof ApiError) || error.status !== 429)
    return <ErrorBox message={message} caption={caption} />
  if (secondsLeft === 0) return null
  return (
    <ErrorBox
      message="Too many failed attempts."
      caption={
        <>
          {/* Announced once, while the visible number counts down. */}
          <span className="read-only-aloud">{message}</span>
          <span aria-hidden>Try again in {secondsLeft} s.</span>
        </>
      }
    />
  )
}

interface CodeFormProps {
  send: (code: string) => Promise<unknown>
  submitLabel?: string
  /** Shown above the field. */
  children?: ReactNode
  /** Shown below the button. */
  below?: ReactNode
}

const DIGITS = 6

/** Asks for the code of an authenticator app; sends it as soon as six digits are typed or pasted. */
export function CodeForm({ send, submitLabel = 'Sign in', children, below }: CodeFormProps) {
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
        {below}
      </Stack>
    </form>
  )
}

type Factor = 'passkey' | 'code' | 'recovery code'
const FACTORS: Record<Factor, string> = {
  passkey: 'Use a passkey',
  code: 'Use a code of the authenticator app',
  'recovery code': 'Use a recovery code',
}

interface SecondStepProps {
  signIn: Pick<ReturnType<typeof useSignIn>, 'hasCode' | 'hasPasskey' | 'sendCode' | 'sendPasskey'>
  onBack?: () => void
}

/** The second step of signing in: a passkey, a code of the app, or a recovery code. */
export function SecondStepForm({ signIn, onBack }: SecondStepProps) {
  const { hasCode, hasPasskey, sendCode, sendPasskey } = signIn
  const [factor, setFactor] = useState<Factor>(hasPasskey ? 'passkey' : 'code')
  const offered: Factor[] = [
    ...(hasPasskey ? (['passkey'] as const) : []),
    ...(hasCode ? (['code', 'recovery code'] as const) : []),
  ]
  const below = (
    <>
      {offered
        .filter((other) => other !== factor)
        .map((other) => (
          <TextButton key={other} onClick={() => setFactor(other)}>
            {FACTORS[other]}
          </TextButton>
        ))}
      {onBack && <TextButton onClick={onBack}>Use another account</TextButton>}
    </>
  )
  if (factor === 'code') return <CodeForm send={sendCode} below={below} />
  if (factor === 'recovery code') return <RecoveryCodeForm send={sendCode} below={below} />
  return (
    <Stack gap="md">
      <div>The password is right. Your account also needs your passkey.</div>
      <PasskeyButton label="Use your passkey" send={sendPasskey} isMain />
      {below}
    </Stack>
  )
}

interface PasskeyButtonProps {
  label: string
  send: () => Promise<void>
  /** The only button of its step. */
  isMain?: boolean
}

/** Lets the browser ask for a passkey. */
export function PasskeyButton({ label, send, isMain = false }: PasskeyButtonProps) {
  const { attempt, busy, error, secondsLeft } = useAttempt<void>(send)
  return (
    <Stack gap="md" {...(isMain ? {} : { mt: 'md' })}>
      <SignInError error={error} secondsLeft={secondsLeft} />
      <Button
        variant={isMain ? 'filled' : 'default'}
        size="sm"
        leftSection={<IconFingerprint size={16} stroke={1.75} aria-hidden />}
        loading={busy}
        disabled={secondsLeft > 0}
        onClick={() => attempt()}
        autoFocus={isMain}
      >
        {label}
      </Button>
    </Stack>
  )
}

function RecoveryCodeForm({ send, below }: Pick<CodeFormProps, 'send' | 'below'>) {
  const [code, setCode] = useState('')
  const { attempt, busy, error, secondsLeft } = useAttempt(send)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt(code)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <SignInError error={error} secondsLeft={secondsLeft} />
        <TextInput
          label="Recovery code"
          description="One of the ten codes that you saved. Each works once."
          name="recovery"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          placeholder="abcde-fghjk"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          classNames={{ input: 'mono' }}
          autoFocus
        />
        <Button type="submit" size="sm" loading={busy} disabled={code.trim() === '' || secondsLeft > 0}>
          Sign in
        </Button>
        {below}
      </Stack>
    </form>
  )
}

export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Anchor component="button" type="button" onClick={onClick} c="dimmed" size="sm">
      {children}
    </Anchor>
  )
}

/** One step of signing in: its error is shown in the form, and after too many attempts a countdown. */
function useAttempt<Input>(send: (input: Input) => Promise<unknown>) {
  const [wait, setWait] = useState<Wait>()
  const { mutate, isPending, error } = useMutation({
    mutationFn: send,
    meta: { errorsShown: true },
    onMutate: () => setWait(undefined),
    onError: (failure) => setWait(waitAfter(failure)),
  })
  return { attempt: mutate, busy: isPending, error, secondsLeft: useCountdown(wait) }
}

function waitAfter(error: unknown): Wait | undefined {
  if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfterSeconds === undefined)
    return undefined
  const seconds = error.retryAfterSeconds
  return { seconds, endsAtMs: Date.now() + seconds * 1000 }
}

/** A wait required by the server, with its start time. */
interface Wait {
  seconds: number
  endsAtMs: number
}

/** Whole seconds until the wait ends; 0 without one. */
function useCountdown(wait: Wait | undefined): number {
  const [tick, setTick] = useState<{ wait: Wait; left: number }>()
  useEffect(() => {
    if (wait === undefined) return undefined
    const timer = setInterval(() => {
      const left = Math.max(0, Math.ceil((wait.endsAtMs - Date.now()) / 1000))
      setTick({ wait, left })
      if (left === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [wait])
  if (wait === undefined) return 0
  return tick?.wait === wait ? tick.left : wait.seconds
}
