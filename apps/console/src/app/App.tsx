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

/** Whoever has to wait longer than this sees the frame meanwhile. */
const FIRST_ANSWERS_MS = 60

/** Comes when the first screen can be drawn whole, or shortly after: drawing it in parts takes three times as long. */
export async function awaitFirstAnswers(): Promise<void> {
  if (!isSignedIn()) return
  const answers = Promise.all([
    router.load(),
    queryClient.prefetchQuery(dashInfoQuery),
    queryClient.prefetchQuery(meQuery),
    prefetchFirstMachines(queryClient, location),
  ])
  // A failure is told by the screen that needs the answer.
  const told = answers.then(
    () => undefined,
    () => undefined,
  )
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, FIRST_ANSWERS_MS))])
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
