import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router'
import { DashboardPage } from '../features/dashboard/DashboardPage.tsx'
import { SkeletonRows } from '../ui/layout/States.tsx'
import { CrashPage, NotFoundPage } from './shell/MessagePage.tsx'
import { MainLayout } from './shell/MainLayout.tsx'
import { SignedInGate } from './session/SignedInGate.tsx'
import { notePage, takePageToRemember } from './session/session-end.ts'
import { clientsQuery } from './api/queries.ts'
import {
  agentSearch,
  alertsSearch,
  dashboardSearch,
  frameSearch,
  overviewSearch,
  parseSearch,
  remoteSearch,
  softwareSearch,
  stringifySearch,
  togetherSearch,
  webTermSearch,
} from './search.ts'
import { isSignedIn, storeNext } from './session/session.ts'

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
})

// Signed-out visitors go to the sign-in page, and return to the requested page afterwards.
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (isSignedIn()) return
    storeNext(location.href)
    throw redirect({ to: '/login', replace: true })
  },
})

// Screens that need the live link and at least one client; without one, the gate leads to /setup.
const gated = createRoute({ getParentRoute: () => signedIn, id: 'gated', component: SignedInGate })

const frame = createRoute({
  getParentRoute: () => gated,
  id: 'frame',
  validateSearch: frameSearch,
  component: MainLayout,
})

const dashboard = createRoute({
  getParentRoute: () => frame,
  path: '/',
  validateSearch: dashboardSearch,
  // In the first chunk, since nearly every visit starts here.
  component: DashboardPage,
})

const agent = createRoute({
  getParentRoute: () => frame,
  path: '/agents/$agent_id',
  validateSearch: agentSearch,
  // No machine request is sent before a client is known to exist; without clients the gate leads to /setup.
  loader: async ({ context }) => {
    const clients = await context.queryClient.ensureQueryData(clientsQuery).catch(() => undefined)
    if (clients?.length === 0) throw redirect({ to: '/setup', replace: true })
  },
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/agents/AgentPage.tsx'), 'AgentPage'),
})

const alerts = createRoute({
  getParentRoute: () => frame,
  path: '/alerts',
  validateSearch: alertsSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/alerts/AlertList.tsx'), 'AlertsPage'),
})

const software = createRoute({
  getParentRoute: () => frame,
  path: '/software',
  validateSearch: softwareSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/software/SoftwarePage.tsx'), 'SoftwarePage'),
})

const policies = createRoute({
  getParentRoute: () => frame,
  path: '/policies',
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/policies/PoliciesPage.tsx'), 'PoliciesPage'),
})

const policyOverview = createRoute({
  getParentRoute: () => frame,
  path: '/policies/overview',
  validateSearch: overviewSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(
    () => import('../features/policies/PolicyOverviewPage.tsx'),
    'PolicyOverviewPage',
  ),
})

/** `new` for a policy that is being created. */
const policy = createRoute({
  getParentRoute: () => frame,
  path: '/policies/$policy_id',
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/policies/PolicyPage.tsx'), 'PolicyPage'),
})

const webTerm = createRoute({
  getParentRoute: () => gated,
  path: '/webterm',
  validateSearch: webTermSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/remote/webterm/WebTermPage.tsx'), 'WebTermPage'),
})

const takeControl = createRoute({
  getParentRoute: () => gated,
  path: '/takecontrol/$agent_id',
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/remote/desktop/DesktopPage.tsx'), 'DesktopPage'),
})

const webVnc = createRoute({
  getParentRoute: () => gated,
  path: '/webvnc/$agent_id/$port',
  validateSearch: ({ host }: Record<string, unknown>): { host?: string } =>
    typeof host === 'string' ? { host } : {},
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/remote/desktop/DesktopPage.tsx'), 'VncPage'),
})

const remoteBackground = createRoute({
  getParentRoute: () => gated,
  path: '/remotebackground/$agent_id',
  validateSearch: remoteSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(
    () => import('../features/remote/RemoteBackgroundPage.tsx'),
    'RemoteBackgroundPage',
  ),
})

const together = createRoute({
  getParentRoute: () => gated,
  path: '/terminals',
  validateSearch: togetherSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/remote/TogetherPage.tsx'), 'TogetherPage'),
})

const setup = createRoute({
  getParentRoute: () => signedIn,
  path: '/setup',
  component: lazyRouteComponent(() => import('../features/setup/InitialSetupPage.tsx'), 'InitialSetupPage'),
})

const totpSetup = createRoute({
  getParentRoute: () => signedIn,
  path: '/totp_setup',
  component: lazyRouteComponent(
    () => import('../features/users/sessions/TotpSetupPage.tsx'),
    'TotpSetupPage',
  ),
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: () => {
    if (isSignedIn()) throw redirect({ to: '/', replace: true })
  },
  component: lazyRouteComponent(() => import('../features/users/sessions/LoginPage.tsx'), 'LoginPage'),
})

const expired = createRoute({
  getParentRoute: () => root,
  path: '/expired',
  beforeLoad: () => {
    const from = takePageToRemember()
    if (from !== undefined) storeNext(from)
  },
  component: lazyRouteComponent(() => import('../features/users/sessions/ExpiredPage.tsx'), 'ExpiredPage'),
})

const routeTree = root.addChildren([
  signedIn.addChildren([
    gated.addChildren([
      frame.addChildren([dashboard, agent, alerts, software, policies, policyOverview, policy]),
      takeControl,
      webVnc,
      webTerm,
      remoteBackground,
      together,
    ]),
    setup,
    totpSetup,
  ]),
  login,
  expired,
])

/** Tests pass a `history`; in the browser it is the address bar. */
export function createConsoleRouter(queryClient: QueryClient, history?: RouterHistory) {
  const router = createRouter({
    routeTree,
    ...(history === undefined ? {} : { history }),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPendingMs: 50,
    // Without this the router would show the skeleton for half a second, even when the data is there.
    defaultPendingMinMs: 0,
    defaultErrorComponent: CrashPage,
    notFoundMode: 'root',
  })
  // Stored before the page loads: the session may turn out to have ended while the page's code is loading.
  router.subscribe('onBeforeNavigate', ({ toLocation }) => notePage(toLocation.href))
  // Navigation scrolls to the top; a new selection or dialog on the same page does not.
  router.subscribe('onResolved', ({ pathChanged }) => {
    if (pathChanged) window.scrollTo(0, 0)
  })
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
