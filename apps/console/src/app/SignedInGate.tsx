import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { connectLive } from './live.ts'
import { clientsQuery } from './queries.ts'

/** Around every screen of a signed-in user: the live link, and the way to the initial setup while there is no client. */
export function SignedInGate() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const link = connectLive(queryClient, () => void navigate({ to: '/expired' }))
    return () => link[Symbol.dispose]()
  }, [queryClient, navigate])
  const { data: clients } = useQuery(clientsQuery)
  if (clients?.length === 0) return <Navigate to="/setup" replace />
  return <Outlet />
}
