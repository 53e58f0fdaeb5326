import { ApiError } from '@muster/contract/client'
import { describeError } from '../../../app/api/describe-error.ts'
import { ErrorBox } from '../../../ui/layout/ErrorBox.tsx'

/** The error of a sign-in step; after too many attempts, with a countdown. */
export function SignInError({ error, secondsLeft }: { error: unknown; secondsLeft: number }) {
  if (error === null || error === undefined) return null
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
