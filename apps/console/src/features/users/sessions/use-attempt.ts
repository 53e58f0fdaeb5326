import { ApiError } from '@muster/contract/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Wait, useCountdown } from './use-countdown.ts'

/** One step of signing in: what it answers stands in the form, and after too many attempts it counts the wait down. */
export function useAttempt<Input>(send: (input: Input) => Promise<unknown>) {
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
