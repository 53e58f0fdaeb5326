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
import { ProofQuestion } from './session/ProofQuestion.tsx'
import { SignedInGate } from './session/SignedInGate.tsx'
import { notePage, takePageToRemember } from './session/session-end.ts'
import { clientsQuery } from './api/queries.ts'
import { findMovedDialog } from './moved-dialogs.ts'
import {
  agentSearch,
  alertsSearch,
  dashboardSearch,
  frameSearch,
  jobSearch,
  listSearch,
  overviewSearch,
  policyOverviewSearch,
  patchesSearch,
  parseSearch,
  remoteSearch,
  settingsSearch,
  softwareSearch,
  stringifySearch,
  togetherSearch,
  webTermSearch,
} from './search.ts'
import { isSignedIn, storeNext } from './session/session.ts'

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <ProofQuestion />
    </>
  ),
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
  beforeLoad: ({ search: { dialog, item, filter } }) => {
    const page = findMovedDialog(dialog, item)
    if (page === undefined) return
    throw redirect({ ...page, ...(filter === undefined ? {} : { search: { find: filter } }), replace: true })
  },
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

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/overview',
  validateSearch: overviewSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/overview/OverviewPage.tsx'), 'OverviewPage'),
})

const alerts = createRoute({
  getParentRoute: () => frame,
  path: '/alerts',
  validateSearch: alertsSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/alerts/AlertsPage.tsx'), 'AlertsPage'),
})

const software = createRoute({
  getParentRoute: () => frame,
  path: '/software',
  validateSearch: softwareSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/software/SoftwarePage.tsx'), 'SoftwarePage'),
})

const patches = createRoute({
  getParentRoute: () => frame,
  path: '/patches',
  validateSearch: patchesSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/patches/FleetPatchesPage.tsx'), 'FleetPatchesPage'),
})

const scripts = createRoute({
  getParentRoute: () => frame,
  path: '/scripts',
  validateSearch: listSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/scripts/ScriptsPage.tsx'), 'ScriptsPage'),
})

const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: listSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/audit/AuditPage.tsx'), 'AuditPage'),
})

const maintenance = createRoute({
  getParentRoute: () => frame,
  path: '/maintenance',
  validateSearch: listSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(
    () => import('../features/maintenance/MaintenancePage.tsx'),
    'MaintenancePage',
  ),
})

const users = createRoute({
  getParentRoute: () => frame,
  path: '/users',
  validateSearch: listSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/users/accounts/UsersPage.tsx'), 'UsersPage'),
})

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage.tsx'), 'SettingsPage'),
})

const settingsSection = createRoute({
  getParentRoute: () => frame,
  path: '/settings/$section',
  validateSearch: settingsSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage.tsx'), 'SettingsPage'),
})

const jobs = createRoute({
  getParentRoute: () => frame,
  path: '/jobs',
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/fleet-jobs/JobsPage.tsx'), 'JobsPage'),
})

const job = createRoute({
  getParentRoute: () => frame,
  path: '/jobs/$job_id',
  validateSearch: jobSearch,
  pendingComponent: SkeletonRows,
  component: lazyRouteComponent(() => import('../features/fleet-jobs/JobPage.tsx'), 'JobPage'),
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
  validateSearch: policyOverviewSearch,
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

const changePassword = createRoute({
  getParentRoute: () => signedIn,
  path: '/change_password',
  component: lazyRouteComponent(
    () => import('../features/users/sessions/ChangePasswordPage.tsx'),
    'ChangePasswordPage',
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

const sso = createRoute({
  getParentRoute: () => root,
  // SSO_CALLBACK_PATH of the contract, whose schemas do not belong in the first load.
  path: '/account/provider/callback',
  component: lazyRouteComponent(() => import('../features/sso/SsoPage.tsx'), 'SsoPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(
    () => import('../features/users/invitations/InvitationPage.tsx'),
    'InvitationPage',
  ),
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
      frame.addChildren([
        dashboard,
        overview,
        agent,
        alerts,
        jobs,
        job,
        software,
        patches,
        scripts,
        audit,
        maintenance,
        users,
        settings,
        settingsSection,
        policies,
        policyOverview,
        policy,
      ]),
      takeControl,
      webVnc,
      webTerm,
      remoteBackground,
      together,
    ]),
    setup,
    totpSetup,
    changePassword,
  ]),
  login,
  sso,
  invitation,
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
