import type { TableTab } from '@muster/contract/api/users'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { dashInfoQuery } from '../../app/api/queries.ts'
import { useAddressed, useChangeDashboard, useDashboard } from '../dashboard/use-dashboard.ts'
import { rememberTab } from './prefetch-machines.ts'
import { formatSort, parseSort, toggleSort } from './sort-machines.ts'
import { useOpenView } from './views-query.ts'

/** Delays before the address follows typing and a held arrow key. */
const SEARCH_PAUSE_MS = 300
const SELECT_PAUSE_MS = 120

/** The state of the machine table in the address. */
export function useTableState() {
  const change = useChangeDashboard()
  const { data: info, isError } = useQuery(dashInfoQuery)
  const address = useDashboard(({ tab }) => tab)
  const own = info?.default_agent_tbl_tab
  const usual = own ?? (isError ? 'mixed' : undefined)
  useEffect(() => {
    if (own !== undefined) rememberTab(own)
  }, [own])
  const view = useOpenView()
  const sort = parseSort(useDashboard((search) => search.sort) ?? view?.sort)
  const isInView = view !== undefined

  const writeSearch = useCallback(
    // In a view, no search is another search than that of the view.
    (text: string) => change({ search: text === '' && !isInView ? undefined : text }, 'replace'),
    [change, isInView],
  )
  const writeAgent = useCallback(
    (agent: string | undefined) => change({ agent, entry: undefined }, 'replace'),
    [change],
  )
  const [text, setText] = useAddressed(
    useDashboard(({ search }) => search) ?? view?.search ?? '',
    writeSearch,
    SEARCH_PAUSE_MS,
  )
  const [selected, setSelected] = useAddressed(
    useDashboard(({ agent }) => agent),
    writeAgent,
    SELECT_PAUSE_MS,
  )

  return {
    /** undefined until the user's default tab is known. */
    tab: address ?? usual,
    setTab: (tab: TableTab) => change({ tab: tab === usual ? undefined : tab, agent: undefined }, 'step'),
    sort,
    toggleSort: (column: string) =>
      change({ sort: formatSort(toggleSort(sort, column)) ?? (isInView ? 'worst' : undefined) }, 'replace'),
    view,
    text,
    setText,
    selected,
    setSelected,
    compact: info?.compact_rows !== false,
  }
}
