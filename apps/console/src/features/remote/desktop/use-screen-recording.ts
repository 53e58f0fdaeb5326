import { getScreenRecording, type ScreenEvent, type ScreenRecordingPage } from '@muster/contract/api/remote'
import { useEffect, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import type { ReplayEvent } from './screen-replay.ts'

export interface LoadedScreen {
  events: readonly ReplayEvent[]
  isWhole: boolean
  error: unknown
}

/** All pages of a recorded desktop in order; loaded ones can be played already. */
export function useScreenRecording(id: string): LoadedScreen | undefined {
  const [loaded, setLoaded] = useState<LoadedScreen>()
  useEffect(() => {
    const stop = new AbortController()
    const load = async () => {
      const events: ReplayEvent[] = []
      for (let after: number | null = 0; after !== null;) {
        const page: ScreenRecordingPage = await call(
          getScreenRecording,
          { params: { id }, query: { after } },
          { signal: stop.signal },
        )
        for (const event of page.events) events.push(readEvent(event))
        after = page.next
        // A new list, so that derived data is computed again.
        setLoaded({ events: [...events], isWhole: after === null, error: null })
      }
    }
    load().catch((error: unknown) => {
      if (stop.signal.aborted) return
      setLoaded((before) => ({ ...(before ?? { events: [], isWhole: false }), error }))
    })
    return () => stop.abort()
  }, [id])
  return loaded
}

function readEvent([ms, kind, value]: ScreenEvent): ReplayEvent {
  if (kind === 's') return [ms, Uint8Array.from(atob(value), (letter) => letter.codePointAt(0) ?? 0)]
  const [x = 0, y = 0] = value.split(',').map(Number)
  return [ms, { x, y }]
}
