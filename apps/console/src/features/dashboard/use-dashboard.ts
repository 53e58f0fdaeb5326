import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { DashboardSearch } from '../../app/search.ts'

const dashboard = getRouteApi('/signed-in/gated/frame/')

/** Part of the dashboard's address: `useDashboard(({ node }) => node)`. Renders again only when that part changes. */
// The router's own type with the part as a type parameter, which it does not infer through its options.
export const useDashboard = (<Part>(select: (search: DashboardSearch) => Part) =>
  dashboard.useSearch({ select: select as (search: DashboardSearch) => string })) as unknown as <Part>(
  select: (search: DashboardSearch) => Part,
) => Part

export type DashboardChange = { [Name in keyof DashboardSearch]?: DashboardSearch[Name] | undefined }

/** Writes to the dashboard's address. `replace` adds no step to the history: for typing and arrow keys. */
export function useChangeDashboard() {
  const navigate = useNavigate()
  return useCallback(
    (change: DashboardChange, how: 'step' | 'replace') =>
      void navigate({
        to: '/',
        search: (old) => ({ ...old, ...change }),
        replace: how === 'replace',
        resetScroll: false,
      }),
    [navigate],
  )
}
