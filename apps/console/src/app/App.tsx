import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { LOADING_BAR_PX } from '@muster/rules/text/layout'
import { prefetchFirstMachines } from '../features/agents/prefetch-machines.ts'
import { NotificationArea } from './shell/NotificationArea.tsx'
import { isServerUnreachable, UnreachablePage } from './shell/UnreachablePage.tsx'
import { createQueryClient } from './api/query-client.ts'
import { dashInfoQuery, meQuery } from './api/queries.ts'
import { createConsoleRouter } from './router.tsx'
import { followSession } from './session/follow-session.ts'
import { isSignedIn } from './session/session.ts'
import { cssVariables, theme } from './theme.ts'
import classes from './shell/LoadingBar.module.css'
import { usePending } from './api/api.ts'

const queryClient = createQueryClient()
const router = createConsoleRouter(queryClient)
followSession(router, queryClient)

/** Longest wait for a slow response before the page frame is drawn anyway. */
const FIRST_ANSWERS_WITHIN_MS = 100

/**
 * Resolves when the data of the first screen has arrived, often before this program has, so that it is drawn once,
 * with its rows. Failures are shown by the screens that need the data.
 */
export const firstAnswers: Promise<unknown> =
  isSignedIn() && !isServerUnreachable
    ? Promise.race([
        // Every signed-in screen needs the first two, so they are requested before anything is drawn.
        Promise.allSettled([
          queryClient.prefetchQuery(dashInfoQuery),
          queryClient.prefetchQuery(meQuery),
          prefetchFirstMachines(queryClient, location),
          prefetchOverviewPage(),
          router.load(),
        ]),
        new Promise((resolve) => setTimeout(resolve, FIRST_ANSWERS_WITHIN_MS)),
      ])
    : Promise.resolve()

/** The page in its own file, before the router knows that the user may see it. */
async function prefetchOverviewPage(): Promise<void> {
  if (location.pathname === '/overview') await import('../features/overview/OverviewPage.tsx')
}

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        {isServerUnreachable ? (
          <UnreachablePage />
        ) : (
          <>
            <LoadingBar />
            <RouterProvider router={router} />
            <NotificationArea />
          </>
        )}
      </MantineProvider>
    </QueryClientProvider>
  )
}

/** The bar at the top of the page while requests run, in the user's loading_bar_color. */
function LoadingBar() {
  const pending = usePending()
  return (
    <div
      aria-hidden
      className={classes.bar}
      data-active={pending || undefined}
      style={{ height: LOADING_BAR_PX }}
    />
  )
}
