import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import type { CausesRequest } from './alert-view.ts'
import { alertQuery, ofCauseQuery } from './alerts-query.ts'

/** Alerts of a group fetched at first, and added by each "Show more". */
const STEP = 100
const MAX_COUNT = 1000

interface Addressed {
  /** Key of the open cause. */
  group: string | undefined
  alert: string | undefined
  request: CausesRequest
  /** Key of the cause that opens if the address names none. */
  worstKey: string | undefined
}

/** The open group and the chosen alert, as the address has them: the group of an alert, or the first alert of a group. */
export function useChosenAlert({ group, alert, request, worstKey }: Addressed) {
  const navigate = useNavigate()
  const addressedId = alert === undefined ? undefined : Number(alert)
  const { data: addressed } = useQuery({
    ...alertQuery(addressedId ?? 0),
    enabled: addressedId !== undefined && group === undefined,
  })
  const openKey = group ?? addressed?.cause ?? undefined
  const [shown, setShown] = useState({ group: '', size: STEP })
  const size = shown.group === openKey ? shown.size : STEP
  const { data } = useQuery({
    ...ofCauseQuery(request, openKey ?? '', size),
    enabled: openKey !== undefined,
    // More of the same group replaces less of it; another group starts empty.
    placeholderData: (before, last) => (causeOf(last?.queryKey) === openKey ? before : undefined),
  })
  const rows = openKey === undefined ? [] : (data?.alerts ?? [])
  // The first one stays chosen when another one opens, and after it has resolved.
  const [first, setFirst] = useState<{ group: string; id: number }>()
  const [worst] = rows
  if (openKey !== undefined && worst !== undefined && first?.group !== openKey)
    setFirst({ group: openKey, id: worst.id })
  const chosenId = addressedId ?? (first?.group === openKey ? first?.id : undefined)

  const show = useCallback(
    (next: { group?: string | undefined; alert?: number | undefined }) =>
      void navigate({
        to: '.',
        search: (old) => ({
          ...old,
          group: next.group,
          alert: next.alert === undefined ? undefined : `${next.alert}`,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const [isClosed, setIsClosed] = useState(false)
  const isUnaddressed = group === undefined && alert === undefined
  useEffect(() => {
    if (isUnaddressed && !isClosed && worstKey !== undefined) show({ group: worstKey })
  }, [isUnaddressed, isClosed, worstKey, show])
  return {
    openKey,
    rows,
    isLoaded: data !== undefined,
    /** Alerts of the group that are not fetched. */
    more: (data?.alerts_count ?? 0) - rows.length,
    showMore:
      size < MAX_COUNT && openKey !== undefined
        ? () => setShown({ group: openKey, size: Math.min(MAX_COUNT, size + 3 * STEP) })
        : undefined,
    chosenId,
    openGroup: (key: string) => show({ group: key }),
    closeGroup: () => {
      setIsClosed(true)
      show({})
    },
    choose: (id: number) => show({ group: openKey, alert: id }),
  }
}

/** The cause that a query of its alerts names. */
function causeOf([, input]: readonly unknown[] = []): unknown {
  const { body } = Object(input) as { body?: { cause?: unknown } }
  return body?.cause
}

export type ChosenAlert = ReturnType<typeof useChosenAlert>
