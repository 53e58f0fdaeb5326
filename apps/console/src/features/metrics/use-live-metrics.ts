import { useDocumentVisibility } from '@mantine/hooks'
import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { useEffect, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { askAgain } from '../../app/api/ask-again.ts'
import { addSamples, type LiveSample } from './live-tail.ts'

/** `waiting`: requested, no value yet; `paused`: the page is hidden. */
export type LiveView = 'waiting' | 'live' | 'paused' | 'away'

interface LiveMetrics {
  view: LiveView
  samples: readonly LiveSample[]
}

/** Minimum interval of requests, also for machines with more values. */
const MIN_MS = 500
const RETRY_MS = 2000

/** Values by the second, while the page is visible: the requests keep the measurement running. */
export function useLiveMetrics(agentId: string, { connected }: { connected: boolean }): LiveMetrics {
  const isVisible = useDocumentVisibility() !== 'hidden'
  const [samples, setSamples] = useState<readonly LiveSample[]>([])
  const [hasNews, setHasNews] = useState(false)
  const isAsking = isVisible && connected
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
  const view = !connected ? 'away' : !isVisible ? 'paused' : hasNews ? 'live' : 'waiting'
  return { view, samples }
}

/** Requests newer values; reports undefined when there is no response. */
function follow(
  agentId: string,
  signal: AbortSignal,
  onSamples: (samples: readonly LiveSample[] | undefined) => void,
): Promise<void> {
  let after = 0
  const ask = async () => {
    const asked = { params: { agent_id: agentId }, query: { after } }
    const answer = await call(watchMachineMetrics, asked, { signal })
    if (signal.aborted) return 0
    after = answer.next
    onSamples(answer.samples.length > 0 ? answer.samples : undefined)
    return answer.connected ? MIN_MS : RETRY_MS
  }
  // The live indicator shows problems of the server.
  return askAgain(ask, () => onSamples(undefined), signal)
}
