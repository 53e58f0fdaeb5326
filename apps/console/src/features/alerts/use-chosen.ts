import type { Alert } from '@muster/contract/api/alerts'
import { useCallback, useMemo, useState } from 'react'

export interface Chosen {
  ids: ReadonlySet<number>
  toggle: (alert: Alert) => void
  setAll: (all: boolean) => void
  clear: () => void
}

/** Which alerts of a list are checked; what leaves the list is not checked any more. */
export function useChosen(alerts: readonly Alert[]): Chosen {
  const [kept, setKept] = useState<ReadonlySet<number>>(NONE)
  const ids = useMemo(
    () => (kept.size === 0 ? NONE : new Set(alerts.filter(({ id }) => kept.has(id)).map(({ id }) => id))),
    [alerts, kept],
  )
  const toggle = useCallback(
    ({ id }: Alert) =>
      setKept((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const setAll = (all: boolean) => setKept(all ? new Set(alerts.map(({ id }) => id)) : NONE)
  const clear = useCallback(() => setKept(NONE), [])
  return { ids, toggle, setAll, clear }
}

const NONE: ReadonlySet<number> = new Set()
