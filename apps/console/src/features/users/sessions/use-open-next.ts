import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { dashInfoQuery } from '../../../app/api/queries.ts'
import { takeNext } from '../../../app/session/session.ts'

/** Opens the page that was asked for before the sign-in; without one, the user's start page. */
export function useOpenNext(): () => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async () => {
    const next = takeNext()
    // A failed request leads to the dashboard, which says why.
    const info = next === '/' ? await queryClient.fetchQuery(dashInfoQuery).catch(() => undefined) : undefined
    await navigate({ href: info?.start_page === 'overview' ? '/overview' : next, replace: true })
  }
}
