import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { prefetchFirstMachines } from '../features/agents/prefetch-machines.ts'
import { LoadingBar } from './LoadingBar.tsx'
import { NotificationArea } from './NotificationArea.tsx'
import { createQueryClient } from './query-client.ts'
import { dashInfoQuery, meQuery } from './queries.ts'
import { createConsoleRouter } from './router.tsx'
import { followSession } from './follow-session.ts'
import { isSignedIn } from './session.ts'
import { cssVariables, theme } from './theme.ts'

const queryClient = createQueryClient()
const router = createConsoleRouter(queryClient)
followSession(router, queryClient)
// Every signed-in screen waits for these two: they are on their way before anything is drawn.
if (isSignedIn()) {
  void queryClient.prefetchQuery(dashInfoQuery)
  void queryClient.prefetchQuery(meQuery)
  // A failure is told by the screen that needs the rows.
  prefetchFirstMachines(queryClient, location).catch(() => undefined)
}

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
