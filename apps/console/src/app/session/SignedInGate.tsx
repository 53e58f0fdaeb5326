import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, Outlet, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useLiveMachines } from '../../features/agents/use-live-machines.ts'
import { lazyPart } from '../shell/lazy-part.ts'
import { connectLive } from '../live/live.ts'
import { clientsQuery, useDashInfo } from '../api/queries.ts'
import { clearSignIn } from './session.ts'
import { useSignInNeeded } from './sign-in-needed.ts'

const SignInAgain = lazyPart(() =>
  import('../../features/users/sessions/SignInAgain.tsx').then((file) => file.SignInAgain),
)

/** Wraps every signed-in screen: live connection, and redirect to the initial setup while there is no client. */
export function SignedInGate() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const link = connectLive(queryClient, () => {
      clearSignIn()
      void navigate({ to: '/expired' })
    })
    return () => link[Symbol.dispose]()
  }, [queryClient, navigate])
  useLiveMachines()
  const { data: clients } = useQuery(clientsQuery)
  const writeRefused = useSignInNeeded()
  const inGrace = useDashInfo()?.token_is_expired === true
  if (clients?.length === 0) return <Navigate to="/setup" replace />
  return (
    <>
      <Outlet />
      {(writeRefused || inGrace) && (
        <Suspense fallback={null}>
          <SignInAgain />
        </Suspense>
      )}
    </>
  )
}
