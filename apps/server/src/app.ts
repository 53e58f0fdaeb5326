import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { alertChannelsJobs } from './features/alerts/channels/jobs.ts'
import { alertChannelsRoutes } from './features/alerts/channels/routes.ts'
import { alertTemplatesJobs } from './features/alerts/templates/jobs.ts'
import { alertTemplatesRoutes } from './features/alerts/templates/routes.ts'
import { AlertSweep } from './features/alerts/alert-sweep.ts'
import { alertsJobs } from './features/alerts/jobs.ts'
import { alertsRoutes } from './features/alerts/routes.ts'
import { automationRoutes } from './features/policies/routes.ts'
import { PolicySweep } from './features/policies/sweep.ts'
import { Fleet } from './fleet/fleet.ts'
import { linkRoutes } from './fleet/link-routes.ts'
import { accountsRoutes } from './features/users/accounts/routes.ts'
import { agentsRoutes } from './features/agents/routes.ts'
import { ServerChecks } from './features/checks/from-server/server-checks.ts'
import { checksJobs } from './features/checks/jobs.ts'
import { checksRoutes } from './features/checks/routes.ts'
import { clientsRoutes } from './features/clients/routes.ts'
import { customFieldsRoutes } from './features/custom-fields/routes.ts'
import { enrolmentRoutes } from './features/installers/routes.ts'
import { ServerMachine } from './features/installers/server-machine.ts'
import { filesRoutes } from './features/remote/files/routes.ts'
import { historyJobs } from './features/runs/jobs.ts'
import { historyRoutes } from './features/runs/routes.ts'
import { keystoreRoutes } from './features/keystore/routes.ts'
import type { LiveHub } from './features/live/live-hub.ts'
import { liveRoutes } from './features/live/routes.ts'
import { logsRoutes } from './features/remote/logs/routes.ts'
import { maintenanceJobs } from './features/maintenance/jobs.ts'
import { maintenanceRoutes } from './features/maintenance/routes.ts'
import { MaintenanceSweep } from './features/maintenance/sweep.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { notesRoutes } from './features/notes/routes.ts'
import { patchesRoutes } from './features/patches/routes.ts'
import { pendingActionsJobs } from './features/power/pending-actions/jobs.ts'
import { pendingActionsRoutes } from './features/power/pending-actions/routes.ts'
import { powerJobs } from './features/power/jobs.ts'
import { powerRoutes } from './features/power/routes.ts'
import { processesRoutes } from './features/remote/processes/routes.ts'
import type { ChannelHub } from './features/remote/channel-hub.ts'
import { remoteJobs } from './features/remote/jobs.ts'
import { remoteRoutes } from './features/remote/routes.ts'
import { sessionRoutes } from './features/remote/session-routes.ts'
import { remoteAccessRoutes } from './features/remote/access/routes.ts'
import { rolesRoutes } from './features/users/roles/routes.ts'
import { registryRoutes } from './features/remote/registry/routes.ts'
import { scriptsRoutes } from './features/scripts/routes.ts'
import { snippetsRoutes } from './features/scripts/snippets/routes.ts'
import { tasksJobs } from './features/tasks/jobs.ts'
import { tasksRoutes } from './features/tasks/routes.ts'
import { auditJobs } from './features/audit/jobs.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { descriptionRoutes } from './features/system/description-routes.ts'
import { refuseForeignKey } from './features/system/refuse-foreign-key.ts'
import { registerFigures } from './features/system/figures.ts'
import { coreRoutes } from './features/system/routes.ts'
import { authenticate } from './features/users/sessions/authenticate.ts'
import { sessionJobs } from './features/users/sessions/jobs.ts'
import { switchOffWhenHosted } from './features/settings/switch-off-when-hosted.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { servicesRoutes } from './features/remote/services/routes.ts'
import { softwareJobs } from './features/software/jobs.ts'
import { softwareRoutes } from './features/software/routes.ts'
import { sessionsRoutes } from './features/users/sessions/routes.ts'
import { openSessionCookies } from './features/users/sessions/session-cookies.ts'
import { timelineRoutes } from './features/timeline/routes.ts'
import { usersRoutes } from './features/users/routes.ts'
import { webTermJobs } from './features/remote/webterm/jobs.ts'
import { webTermRoutes } from './features/remote/webterm/routes.ts'
import { VERSION } from './platform/config/version.ts'
import { createIdempotency } from './platform/http/idempotency.ts'
import { openHttp } from './platform/http/open-http.ts'
import type { DescribedRoute } from './platform/http/openapi.ts'
import type { Api } from './platform/http/route.ts'
import { SignInGate } from './platform/http/sign-in-gate.ts'

const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** A hello has at most 4 KiB. Anything in the same packet is read with it. */
const CONSOLE_GATE_LIMITS = {
  perSource: 500,
  total: 5000,
  bytes: 128 * 1024,
  bytesPerSource: 16 * 1024 * 1024,
}

export interface App {
  fastify: FastifyInstance
  api: Api
  fleet: Fleet
  live: LiveHub
  channels: ChannelHub
  sweep: AlertSweep
  maintenance: MaintenanceSweep
  policies: PolicySweep
  routes: readonly DescribedRoute[]
  /** Finishes running requests and closes every connection. New requests get 503 at once. */
  stop: () => Promise<void>
}

/** The whole API. The list of `xxxRoutes` below is its table of contents. */
export async function createApp(ctx: Context, options: { consoleFolder?: string } = {}): Promise<App> {
  await refuseForeignKey(ctx)
  await switchOffWhenHosted(ctx)
  const http = await openHttp(ctx, options.consoleFolder ?? CONSOLE_FOLDER)
  const { fastify, metrics, mounted, routes, stop } = http
  const cookies = await openSessionCookies(ctx)
  const api: Api = {
    fastify,
    authenticate: (request, reply) => authenticate(ctx, cookies, { request, reply }),
    idempotency: createIdempotency(ctx),
    mounted,
    readers: new Map(),
    metrics,
    gate: new SignInGate(CONSOLE_GATE_LIMITS),
  }
  const fleet = await Fleet.open(ctx)
  const maintenance = await MaintenanceSweep.open(ctx)
  const policies = new PolicySweep(ctx)
  fastify.addHook('onListen', async () => policies.start())
  const serverChecks = new ServerChecks(ctx)
  fastify.addHook('onListen', () => serverChecks.start())
  const serverMachine = new ServerMachine(ctx, fastify)
  const sweep = new AlertSweep(ctx)
  if (!ctx.config.hosted) fastify.addHook('onListen', () => serverMachine.start())
  fastify.addHook('onListen', async () => sweep.start())
  fastify.addHook('preClose', async () => {
    await sweep[Symbol.asyncDispose]()
    await serverChecks[Symbol.asyncDispose]()
    await serverMachine[Symbol.asyncDispose]()
    await maintenance[Symbol.asyncDispose]()
    await policies[Symbol.asyncDispose]()
    await fleet[Symbol.asyncDispose]()
  })
  ctx.jobs.define(sessionJobs(ctx))
  ctx.jobs.define(auditJobs(ctx))
  ctx.jobs.define(historyJobs(ctx))
  ctx.jobs.define(checksJobs(ctx))
  ctx.jobs.define(alertChannelsJobs(ctx))
  ctx.jobs.define(alertTemplatesJobs(ctx, fleet))
  ctx.jobs.define(alertsJobs(ctx))
  ctx.jobs.define(maintenanceJobs(ctx))
  ctx.jobs.define(tasksJobs(ctx, fleet))
  ctx.jobs.define(remoteJobs(ctx))
  ctx.jobs.define(webTermJobs(ctx))
  ctx.jobs.define(softwareJobs(ctx))
  ctx.jobs.define(powerJobs(ctx, fleet))
  ctx.jobs.define(pendingActionsJobs(ctx))
  metrics.gauge(
    'muster_connected_agents',
    'Machines whose links this process holds',
    () => fleet.links.connectedIds().length,
  )
  registerFigures(metrics, ctx)
  sessionsRoutes(api, ctx, cookies)
  accountsRoutes(api, ctx)
  usersRoutes(api, ctx)
  rolesRoutes(api, ctx)
  coreRoutes(api, ctx)
  descriptionRoutes(api, routes)
  auditRoutes(api, ctx)
  linkRoutes(api, fleet)
  agentsRoutes(api, ctx, fleet)
  enrolmentRoutes(api, ctx, fleet)
  historyRoutes(api, ctx, fleet)
  checksRoutes(api, ctx, fleet)
  tasksRoutes(api, ctx, fleet)
  alertsRoutes(api, ctx)
  alertChannelsRoutes(api, ctx)
  alertTemplatesRoutes(api, ctx)
  maintenanceRoutes(api, ctx)
  automationRoutes(api, ctx, fleet)
  clientsRoutes(api, ctx, { rows: fleet.rows, monitorServer: (site) => serverMachine.monitor(site) })
  scriptsRoutes(api, ctx)
  metricsRoutes(api, ctx, fleet)
  timelineRoutes(api, ctx)
  snippetsRoutes(api, ctx)
  keystoreRoutes(api, ctx)
  settingsRoutes(api, ctx)
  customFieldsRoutes(api, ctx)
  notesRoutes(api, ctx)
  powerRoutes(api, ctx, fleet)
  pendingActionsRoutes(api, ctx)
  processesRoutes(api, ctx, fleet)
  servicesRoutes(api, ctx, fleet)
  logsRoutes(api, ctx, fleet)
  registryRoutes(api, ctx, fleet)
  softwareRoutes(api, ctx, fleet)
  patchesRoutes(api, ctx, fleet)
  const channels = remoteRoutes(api, ctx, fleet)
  sessionRoutes(api, ctx, fleet)
  remoteAccessRoutes(api, ctx)
  const webTerminals = webTermRoutes(api, ctx)
  filesRoutes(api, ctx, { fleet, hub: channels, cookies })
  const live = liveRoutes(api, ctx, { rows: fleet.rows, version: VERSION })
  return {
    fastify,
    api,
    fleet,
    live,
    channels,
    sweep,
    maintenance,
    policies,
    routes,
    stop: () => {
      channels.stop()
      webTerminals.stop()
      return stop()
    },
  }
}
