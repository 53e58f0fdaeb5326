import { ApiError } from '@muster/contract/client'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** One step of signing in: its error is shown in the form, and after too many attempts a countdown. */
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
