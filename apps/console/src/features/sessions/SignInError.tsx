import { describeError } from '../../app/describe-error.ts'
import { ErrorBox } from '../../ui/ErrorBox.tsx'

/** Why a step of signing in was refused; with too many attempts, when to try again. */
export function SignInError({ error, secondsLeft }: { error: unknown; secondsLeft: number }) {
  if (error === null || error === undefined) return null
  const { message, caption } = describeError(error)
  return <ErrorBox message={message} caption={secondsLeft > 0 ? `Try again in ${secondsLeft} s.` : caption} />
}
