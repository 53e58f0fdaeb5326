import { getRecording, type RecordedEvent, type RecordingPage } from '@muster/contract/api/remote'
import { useEffect, useState } from 'react'
import { call } from '../../app/api/api.ts'

export interface LoadedRecording {
  width: number
  height: number
  events: readonly RecordedEvent[]
  isWhole: boolean
  error: unknown
}

/** All pages of a recording in order; loaded ones can be played already. */
export function useRecording(id: string): LoadedRecording | undefined {
  const [loaded, setLoaded] = useState<LoadedRecording>()
  useEffect(() => {
    const stop = new AbortController()
    const load = async () => {
      const events: RecordedEvent[] = []
      let first: RecordingPage | undefined
      for (let after: number | null = 0; after !== null;) {
        const page: RecordingPage = await call(
          getRecording,
          { params: { id }, query: { after } },
          { signal: stop.signal },
        )
        first ??= page
        events.push(...page.events)
        after = page.next
        const { width, height } = first
        // A new list, so that derived data is computed again.
        setLoaded({ width, height, events: [...events], isWhole: after === null, error: null })
      }
    }
    load().catch((error: unknown) => {
      if (stop.signal.aborted) return
      setLoaded((before) => ({
        ...(before ?? { width: 80, height: 24, events: [], isWhole: false }),
        error,
      }))
    })
    return () => stop.abort()
  }, [id])
  return loaded
}
