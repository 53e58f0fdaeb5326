import { useDocumentVisibility } from '@mantine/hooks'
import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { useEffect, useState } from 'react'
import { call } from '../../app/api.ts'
import { quietly } from '../../app/pending.ts'
import { type LiveSample, addSamples } from './live-tail.ts'

/** `waiting`: it is asked, and nothing has come yet; `paused`: nobody looks. */
export type LiveView = 'waiting' | 'live' | 'paused' | 'away'

export interface LiveMetrics {
  view: LiveView
  samples: readonly LiveSample[]
}

/** A machine that says more than one value a second is not asked more often than this. */
const LEAST_MS = 500
const RETRY_MS = 2000

/** What a machine measures each second, while the page is looked at: asking is what keeps it going. */
export function useLiveMetrics(agentId: string, { connected }: { connected: boolean }): LiveMetrics {
  const isLookedAt = useDocumentVisibility() !== 'hidden'
  const [samples, setSamples] = useState<readonly LiveSample[]>([])
  const [hasNews, setHasNews] = useState(false)
  const isAsking = isLookedAt && connected
  useEffect(() => {
    if (!isAsking) return undefined
    const stop = new AbortController()
    void follow(agentId, stop.signal, (newer) => {
      setHasNews(newer !== undefined)
      if (newer !== undefined) setSamples((before) => addSamples(before, newer))
    })
    return () => {
      stop.abort()
      setHasNews(false)
    }
  }, [agentId, isAsking])
  const view = !connected ? 'away' : !isLookedAt ? 'paused' : hasNews ? 'live' : 'waiting'
  return { view, samples }
}

/** Asks again and again, each time for what is newer; tells undefined when there is no answer. */
async function follow(
  agentId: string,
  signal: AbortSignal,
  tell: (samples: readonly LiveSample[] | undefined) => void,
): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    const startedMs = performance.now()
    let leastMs = LEAST_MS
    try {
      const asked = { params: { agent_id: agentId }, query: { after } }
      const answer = await quietly(() => call(watchMachineMetrics, asked, { signal }))
      if (signal.aborted) return
      after = answer.next
      if (!answer.connected) leastMs = RETRY_MS
      tell(answer.samples.length > 0 ? answer.samples : undefined)
    } catch {
      // The link's own sign says what is wrong with the server.
      if (signal.aborted) return
      leastMs = RETRY_MS
      tell(undefined)
    }
    await pause(leastMs - (performance.now() - startedMs), signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms))
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
