import { useDocumentVisibility } from '@mantine/hooks'
import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { useEffect, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { askAgain } from '../../app/api/ask-again.ts'
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

/** Asks each time for what is newer; tells undefined when there is no answer. */
function follow(
  agentId: string,
  signal: AbortSignal,
  tell: (samples: readonly LiveSample[] | undefined) => void,
): Promise<void> {
  let after = 0
  const ask = async () => {
    const asked = { params: { agent_id: agentId }, query: { after } }
    const answer = await call(watchMachineMetrics, asked, { signal })
    if (signal.aborted) return 0
    after = answer.next
    tell(answer.samples.length > 0 ? answer.samples : undefined)
    return answer.connected ? LEAST_MS : RETRY_MS
  }
  // The link's own sign says what is wrong with the server.
  return askAgain(ask, () => tell(undefined), signal)
}
