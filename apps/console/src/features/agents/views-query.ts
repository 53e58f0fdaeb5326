import { listViews, type MachineView } from '@muster/contract/calls/views'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { useDashboard } from '../dashboard/use-dashboard.ts'

/** The user's views, and the shared ones. */
export const viewsQuery = query(listViews, { query: {} })

/** The view in the address; undefined until it is loaded, and for a deleted one. */
export function useOpenView(): MachineView | undefined {
  const id = useDashboard(({ view }) => view)
  const { data: views } = useQuery({ ...viewsQuery, enabled: id !== undefined })
  return id === undefined ? undefined : views?.find((view) => `${view.id}` === id)
}
