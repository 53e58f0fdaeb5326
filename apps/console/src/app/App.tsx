import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { prefetchFirstMachines } from '../features/agents/prefetch-machines.ts'
import { LoadingBar } from './shell/LoadingBar.tsx'
import { NotificationArea } from './shell/NotificationArea.tsx'
import { createQueryClient } from './api/query-client.ts'
import { dashInfoQuery, meQuery } from './api/queries.ts'
import { createConsoleRouter } from './router.tsx'
import { followSession } from './session/follow-session.ts'
import { isSignedIn } from './session/session.ts'
import { cssVariables, theme } from './theme.ts'

const queryClient = createQueryClient()
const router = createConsoleRouter(queryClient)
followSession(router, queryClient)

/** A slow answer does not keep the frame of the page away for longer. */
const FIRST_ANSWERS_WITHIN_MS = 100

/**
 * Done when what the first screen shows has come, which is often before this program has: it is then drawn once, with
 * its rows. Failures are told by the screens that need the answers.
 */
export const firstAnswers: Promise<unknown> = isSignedIn()
  ? Promise.race([
      // Every signed-in screen waits for the first two: they are on their way before anything is drawn.
      Promise.allSettled([
        queryClient.prefetchQuery(dashInfoQuery),
        queryClient.prefetchQuery(meQuery),
        prefetchFirstMachines(queryClient, location),
        router.load(),
      ]),
      new Promise((resolve) => setTimeout(resolve, FIRST_ANSWERS_WITHIN_MS)),
    ])
  : Promise.resolve()

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <LoadingBar />
        <RouterProvider router={router} />
        <NotificationArea />
      </MantineProvider>
    </QueryClientProvider>
  )
}
