import { useDocumentVisibility } from '@mantine/hooks'
import { type LiveProcesses, type Process, watchProcesses } from '@muster/contract/api/processes'
import { useEffect, useState } from 'react'
import { askAgain } from '../../../app/api/ask-again.ts'
import { call } from '../../../app/api/api.ts'

export interface ProcessesView {
  processes: readonly Process[]
  sums: Pick<LiveProcesses, 'cpu_percent' | 'memory_total' | 'memory_used' | 'left_out'>
}

export interface LiveView {
  /** What was seen last; undefined = nothing yet. */
  view: ProcessesView | undefined
  /** `silent`: the machine is connected and tells nothing. */
  state: 'waiting' | 'live' | 'paused' | 'away' | 'silent'
  error: unknown
}

const LEAST_MS = 800
const AWAY_MS = 2000
/** Each waits for some seconds. */
const VAIN_TURNS = 4

/** The processes of a machine, each second, while the page is looked at: asking is what keeps it going. */
export function useLiveProcesses(
  agentId: string,
  { connected, paused }: { connected: boolean; paused: boolean },
): LiveView & { retry: () => void } {
  const isLookedAt = useDocumentVisibility() !== 'hidden'
  const [view, setView] = useState<ProcessesView>()
  const [news, setNews] = useState<'waiting' | 'live' | 'silent'>('waiting')
  const [error, setError] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  const isAsking = isLookedAt && connected && !paused
  useEffect(() => {
    if (!isAsking) return undefined
    const stop = new AbortController()
    void follow(agentId, stop.signal, {
      see: (seen) => {
        setView(seen)
        setNews('live')
        setError(null)
      },
      hearNothing: () => setNews('silent'),
      miss: (trouble) => {
        setNews('waiting')
        setError(trouble)
      },
    })
    return () => {
      stop.abort()
      setNews('waiting')
    }
  }, [agentId, isAsking, turn])
  const state = !connected ? 'away' : !isAsking ? 'paused' : news
  return { view, state, error, retry: () => setTurn((before) => before + 1) }
}

interface Listener {
  see: (view: ProcessesView) => void
  hearNothing: () => void
  miss: (error: unknown) => void
}

function follow(agentId: string, signal: AbortSignal, { see, hearNothing, miss }: Listener): Promise<void> {
  const known = new Map<number, Process>()
  let after = ''
  let vainTurns = 0
  const ask = async () => {
    const answer = await call(watchProcesses, { params: { agent_id: agentId }, query: { after } }, { signal })
    if (signal.aborted) return 0
    after = answer.next
    if (answer.whole) known.clear()
    for (const pid of answer.gone) known.delete(pid)
    for (const process of answer.processes) known.set(process.pid, process)
    if (answer.more) return 0
    if (!answer.connected) miss(null)
    else if (known.size === 0) {
      vainTurns += 1
      if (vainTurns >= VAIN_TURNS) hearNothing()
    } else {
      const { cpu_percent, memory_total, memory_used, left_out } = answer
      see({ processes: [...known.values()], sums: { cpu_percent, memory_total, memory_used, left_out } })
    }
    return answer.connected ? LEAST_MS : AWAY_MS
  }
  return askAgain(ask, miss, signal)
}
