import { Alert } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { describeError } from '../../app/describe-error.ts'

/** Why a step of signing in was refused; with too many attempts, when to try again. */
export function SignInError({ error, secondsLeft }: { error: unknown; secondsLeft: number }) {
  if (error === null || error === undefined) return null
  const { message, caption } = describeError(error)
  return (
    <Alert color="negative" role="alert" title={message}>
      {secondsLeft > 0 ? `Try again in ${secondsLeft} s.` : caption}
    </Alert>
  )
}
