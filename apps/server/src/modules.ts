import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { agentRowSource } from './features/agents/row-source.ts'
import { agentsRoutes } from './features/agents/routes.ts'
import { turnAwayCopy } from './features/agents/turn-away-copy.ts'
import { FACT_VALUES, ROW_VALUES } from './features/agents/values/read-values.ts'
import { agentValuesRoutes } from './features/agents/values/routes.ts'
import { agentSearchRoutes } from './features/agents/search/routes.ts'
import { FACT_TERMS } from './features/agents/search/search-facts.ts'
import { AlertSweep } from './features/alerts/alert-sweep.ts'
import { alertChannelsJobs } from './features/alerts/channels/jobs.ts'
import { alertChannelsRoutes } from './features/alerts/channels/routes.ts'
import { alertsJobs } from './features/alerts/jobs.ts'
import { escalationRoutes } from './features/alerts/escalations/routes.ts'
import { alertEscalationJobs } from './features/alerts/escalations/run-escalation.ts'
import { alertLinkJobs } from './features/alerts/links/alert-links.ts'
import { alertLinkRoutes } from './features/alerts/links/routes.ts'
import { onCallRoutes } from './features/alerts/on-call/routes.ts'
import { pushRoutes } from './features/alerts/push/routes.ts'
import { alertsRoutes } from './features/alerts/routes.ts'
import { assignTemplate } from './features/alerts/templates/assign-template.ts'
import { cancelResolvedActions } from './features/alerts/templates/cancel-actions.ts'
import { clearScriptInTemplates, findServerScripts } from './features/alerts/templates/on-script-removed.ts'
import { alertTemplatesJobs } from './features/alerts/templates/jobs.ts'
import { alertTemplatesRoutes } from './features/alerts/templates/routes.ts'
import { openAgentTemplates } from './features/alerts/templates/template-resolver.ts'
import { ALERT_VALUES, findMachinesByAlert } from './features/alerts/search-alerts.ts'
import { updateOpenAlerts } from './features/alerts/update-open-alerts.ts'
import { auditJobs } from './features/audit/jobs.ts'
import { auditRoutes } from './features/audit/routes.ts'
import {
  removeScriptFromChecks,
  markScriptChecksStale,
  markUserChecksStale,
  markIntervalChecksStale,
  markSnippetChecksStale,
} from './features/checks/mark-checks-stale.ts'
import { ServerChecks } from './features/checks/from-server/server-checks.ts'
import { backupsJobs } from './features/backups/jobs.ts'
import { backupsRoutes } from './features/backups/routes.ts'
import { checksJobs } from './features/checks/jobs.ts'
import { findCheckCounts } from './features/checks/queries.ts'
import { checksRoutes } from './features/checks/routes.ts'
import { findMachinesByCheck, findMachinesByFailingCheck } from './features/checks/search-checks.ts'
import { checkDefinitions } from './features/checks/definitions.ts'
import { clientsRoutes } from './features/clients/routes.ts'
import { customFieldsRoutes } from './features/custom-fields/routes.ts'
import { firstStepsRoutes } from './features/first-steps/routes.ts'
import { endInstallLinks } from './features/installers/deployments/deployments.ts'
import { enrolmentRoutes } from './features/installers/routes.ts'
import { ServerMachine } from './features/installers/server-machine.ts'
import { keystoreRoutes } from './features/keystore/routes.ts'
import type { LiveHub } from './features/live/live-hub.ts'
import { liveRoutes } from './features/live/routes.ts'
import { maintenanceJobs } from './features/maintenance/jobs.ts'
import { maintenanceRoutes } from './features/maintenance/routes.ts'
import { MaintenanceSweep } from './features/maintenance/sweep.ts'
import { LiveMetrics } from './features/metrics/live-metrics.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { METRIC_VALUES, findMachinesByMetric } from './features/metrics/search-metrics.ts'
import { notesRoutes } from './features/notes/routes.ts'
import { patchesJobs } from './features/patches/jobs.ts'
import { patchesRoutes } from './features/patches/routes.ts'
import { findMachinesByPatch } from './features/patches/search-patches.ts'
import { changeOwnWinUpdate } from './features/patches/policy/set-own-policy.ts'
import { findWinUpdate } from './features/patches/policy/win-update-policy.ts'
import { addPolicyItem } from './features/policies/add-policy-item.ts'
import {
  findAppliedPolicies,
  findNamingPolicies,
  findNodePolicies,
} from './features/policies/node-policies.ts'
import { applyPolicies } from './features/policies/apply-policies.ts'
import { refuseEnforcedSettings } from './features/policies/enforced-settings.ts'
import { changeAssignmentFields } from './features/policies/assignment-fields.ts'
import { automationRoutes } from './features/policies/routes.ts'
import { patchPolicyRoutes } from './features/policies/patch-policies.ts'
import { POLICY_VALUES, findMachinesByPolicy } from './features/policies/search-policies.ts'
import { findScriptUses } from './features/policies/script-uses.ts'
import { PolicySweep } from './features/policies/sweep.ts'
import { powerJobs } from './features/power/jobs.ts'
import { continueCancelling } from './features/power/pending-actions/cancel-action.ts'
import { pendingActionsJobs } from './features/power/pending-actions/pending-actions.ts'
import { pendingActionsRoutes } from './features/power/pending-actions/routes.ts'
import { powerRoutes } from './features/power/routes.ts'
import { remoteAccessRoutes } from './features/remote/access/routes.ts'
import { RulesSync } from './features/remote/access/rules-sync.ts'
import type { ChannelHub } from './features/remote/channel-hub.ts'
import { endLostSessions, endSessionsOf } from './features/remote/end-sessions.ts'
import { filesRoutes } from './features/remote/files/routes.ts'
import { remoteJobs } from './features/remote/jobs.ts'
import { logsRoutes } from './features/remote/logs/routes.ts'
import { LiveProcesses } from './features/remote/processes/live-processes.ts'
import { processesRoutes } from './features/remote/processes/routes.ts'
import { registryRoutes } from './features/remote/registry/routes.ts'
import { remoteRoutes } from './features/remote/routes.ts'
import { schedulerRoutes } from './features/remote/scheduler/routes.ts'
import { servicesRoutes } from './features/remote/services/routes.ts'
import { sessionRoutes } from './features/remote/session-routes.ts'
import { webTermJobs } from './features/remote/webterm/web-terminals.ts'
import { webTermRoutes } from './features/remote/webterm/routes.ts'
import { deliverRuns, findOverlooked } from './features/runs/deliver-runs.ts'
import { expireRuns, failLostRuns, requeueUnreceived } from './features/runs/fail-lost-runs.ts'
import { historyJobs } from './features/runs/jobs.ts'
import { historyRoutes } from './features/runs/routes.ts'
import { RunTracker } from './features/runs/run-tracker.ts'
import { scriptsRoutes } from './features/scripts/routes.ts'
import { snippetsRoutes } from './features/scripts/snippets/routes.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { softwareJobs } from './features/software/jobs.ts'
import { packageFileRoutes } from './features/software/package-files/routes.ts'
import { softwareRoutes } from './features/software/routes.ts'
import { SoftwareRequests } from './features/software/software-requests.ts'
import { findMachinesBySoftware } from './features/software/search-software.ts'
import { coreRoutes, descriptionRoutes, registerFigures } from './features/system/routes.ts'
import { ssoRoutes } from './features/sso/routes.ts'
import { tagRulesJobs } from './features/tag-rules/apply-rules.ts'
import { tagsRoutes } from './features/tags/routes.ts'
import { startFailureTasks, tasksJobs } from './features/tasks/jobs.ts'
import {
  deleteWithTasks,
  markSnippetTasksStale,
  markTasksOfScriptStale,
} from './features/tasks/on-script-removed.ts'
import { markUserTasksStale } from './features/tasks/mark-tasks-stale.ts'
import { markVariablesStale } from './features/tasks/mark-variables-stale.ts'
import { approvalsRoutes } from './features/tasks/approvals.ts'
import { tasksRoutes } from './features/tasks/routes.ts'
import { taskDefinitions } from './features/tasks/definitions.ts'
import { timelineRoutes } from './features/timeline/routes.ts'
import { accountsRoutes } from './features/users/accounts/routes.ts'
import { apiKeysRoutes } from './features/users/api-keys/routes.ts'
import { invitationsRoutes } from './features/users/invitations/routes.ts'
import { passkeysRoutes } from './features/users/passkeys/routes.ts'
import { rolesRoutes } from './features/users/roles/routes.ts'
import { usersRoutes } from './features/users/routes.ts'
import { sessionJobs } from './features/users/sessions/jobs.ts'
import { sessionsRoutes } from './features/users/sessions/routes.ts'
import type { SessionCookies } from './features/users/sessions/session-cookies.ts'
import { createSignInDesk } from './features/users/sessions/sign-in.ts'
import { viewsRoutes } from './features/views/routes.ts'
import { webhooksJobs } from './features/webhooks/jobs.ts'
import { publish } from './features/webhooks/publish.ts'
import { webhooksRoutes } from './features/webhooks/routes.ts'
import { FleetJobs } from './features/fleet-jobs/fleet-jobs.ts'
import { fleetJobJobs } from './features/fleet-jobs/jobs.ts'
import { repeatingJobRoutes } from './features/fleet-jobs/repeating-jobs/routes.ts'
import { urlActionsRoutes } from './features/url-actions/routes.ts'
import { fleetJobRoutes } from './features/fleet-jobs/routes.ts'
import { overviewJobs } from './features/overview/jobs.ts'
import { overviewRoutes } from './features/overview/routes.ts'
import { updatesJobs, updatesRoutes } from './features/updates/routes.ts'
import { Fleet } from './fleet/fleet.ts'
import type { FleetHandlers, FleetLinks } from './fleet/handlers.ts'
import { linkRoutes } from './fleet/link-routes.ts'
import type { Hooks } from './hooks.ts'
import { VERSION } from './platform/config/config.ts'
import type { DescribedRoute } from './platform/http/openapi.ts'
import type { Api } from './platform/http/route.ts'
import { storeReports } from './store-reports.ts'

/**
 * The features in order. A feature may import those above it, the fleet, the samples and the platform. What it needs from
 * those below it goes through a hook or a handler of the fleet. tools/import-rules.ts reads this list.
 */
export const FEATURES = [
  'audit',
  'keystore',
  'users',
  'custom-fields',
  'tags',
  'clients',
  'maintenance',
  'agents',
  'views',
  'scripts',
  'url-actions',
  'notes',
  'runs',
  'software',
  'alerts',
  'webhooks',
  'checks',
  'metrics',
  'tasks',
  'power',
  'patches',
  'remote',
  'policies',
  'tag-rules',
  'settings',
  'timeline',
  'installers',
  'sso',
  'updates',
  'fleet-jobs',
  'first-steps',
  'overview',
  'backups',
  'system',
  'live',
] as const

export interface Modules {
  fleet: Fleet
  fleetJobs: FleetJobs
  live: LiveHub
  channels: ChannelHub
  sweep: AlertSweep
  maintenance: MaintenanceSweep
  policies: PolicySweep
  /** Ends channels and web terminals, which keep connections open. */
  stop: () => void
}

/** Opens the routes and jobs of every feature: the table of contents of the API. */
export async function openModules(
  api: Api,
  ctx: Context,
  { cookies, routes }: { cookies: SessionCookies; routes: readonly DescribedRoute[] },
): Promise<Modules> {
  const { fastify, metrics } = api
  const fleet = await Fleet.open(ctx, openFleetHandlers)
  const { serverMachine, fleetJobs, ...sweeps } = await openSweeps(ctx, fastify, fleet)
  metrics.gauge(
    'muster_connected_agents',
    'Machines whose links this process holds',
    () => fleet.links.connectedIds().length,
  )
  linkRoutes(api, fleet)

  auditRoutes(api, ctx)
  ctx.jobs.define(auditJobs(ctx))

  keystoreRoutes(api, ctx)

  const signInDesk = createSignInDesk(ctx, cookies)
  sessionsRoutes(api, signInDesk)
  passkeysRoutes(api, signInDesk)
  accountsRoutes(api, ctx)
  apiKeysRoutes(api, ctx)
  invitationsRoutes(api, ctx)
  usersRoutes(api, ctx)
  rolesRoutes(api, ctx)
  ctx.jobs.define(sessionJobs(ctx))

  customFieldsRoutes(api, ctx)

  tagsRoutes(api, ctx)

  clientsRoutes(api, ctx, { rows: fleet.rows, monitorServer: (site) => serverMachine.monitor(site) })

  maintenanceRoutes(api, ctx)
  ctx.jobs.define(maintenanceJobs(ctx))

  agentsRoutes(api, ctx, fleet)
  agentSearchRoutes(api, ctx, fleet)
  agentValuesRoutes(api, ctx, fleet)

  viewsRoutes(api, ctx)

  scriptsRoutes(api, ctx)
  snippetsRoutes(api, ctx)

  urlActionsRoutes(api, ctx)

  notesRoutes(api, ctx)

  historyRoutes(api, ctx, fleet)
  ctx.jobs.define(historyJobs(ctx))

  softwareRoutes(api, ctx, fleet)
  packageFileRoutes(api, ctx)
  ctx.jobs.define(softwareJobs(ctx, fleet))

  alertsRoutes(api, ctx)
  alertChannelsRoutes(api, ctx)
  alertTemplatesRoutes(api, ctx)
  alertLinkRoutes(api, ctx)
  await pushRoutes(api, ctx)
  onCallRoutes(api, ctx)
  escalationRoutes(api, ctx)
  ctx.jobs.define(alertsJobs(ctx))
  ctx.jobs.define(alertLinkJobs(ctx))
  ctx.jobs.define(alertEscalationJobs(ctx))
  ctx.jobs.define(alertChannelsJobs(ctx))
  ctx.jobs.define(alertTemplatesJobs(ctx, fleet))

  webhooksRoutes(api, ctx)
  ctx.jobs.define(webhooksJobs(ctx))

  checksRoutes(api, ctx, fleet)
  ctx.jobs.define(checksJobs(ctx))

  metricsRoutes(api, ctx, fleet)

  tasksRoutes(api, ctx, fleet)
  approvalsRoutes(api, ctx)
  ctx.jobs.define(tasksJobs(ctx, fleet))

  powerRoutes(api, ctx, fleet)
  pendingActionsRoutes(api, ctx, fleet)
  ctx.jobs.define(powerJobs(ctx, fleet))
  ctx.jobs.define(pendingActionsJobs(ctx))

  patchesRoutes(api, ctx, fleet)
  ctx.jobs.define(patchesJobs(ctx, fleet))

  const channels = remoteRoutes(api, ctx, { fleet, cookies })
  sessionRoutes(api, ctx, fleet)
  remoteAccessRoutes(api, ctx)
  const webTerminals = webTermRoutes(api, ctx, cookies)
  filesRoutes(api, ctx, { fleet, hub: channels, cookies })
  logsRoutes(api, ctx, fleet)
  registryRoutes(api, ctx, fleet)
  processesRoutes(api, ctx, fleet)
  servicesRoutes(api, ctx, fleet)
  schedulerRoutes(api, ctx, fleet)
  ctx.jobs.define(remoteJobs(ctx))
  ctx.jobs.define(webTermJobs(ctx))

  automationRoutes(api, ctx, fleet)
  patchPolicyRoutes(api, ctx)

  ctx.jobs.define(tagRulesJobs(ctx, fleet))

  settingsRoutes(api, ctx)

  timelineRoutes(api, ctx)

  enrolmentRoutes(api, ctx, fleet)

  ssoRoutes(api, ctx, cookies)

  updatesRoutes(api, ctx)
  ctx.jobs.define(updatesJobs(ctx, fleet))

  fleetJobRoutes(api, ctx, fleet, fleetJobs)
  repeatingJobRoutes(api, ctx, fleet)
  ctx.jobs.define(fleetJobJobs(ctx, fleet))

  firstStepsRoutes(api, ctx)

  overviewRoutes(api, ctx, fleet)
  ctx.jobs.define(overviewJobs(ctx))

  backupsRoutes(api, ctx)
  ctx.jobs.define(backupsJobs(ctx))

  coreRoutes(api, ctx)
  descriptionRoutes(api, routes)
  registerFigures(metrics, ctx)

  const live = liveRoutes(api, ctx, { rows: fleet.rows, version: VERSION, cookies })

  const stop = () => {
    channels.stop()
    webTerminals.stop()
    fleet.links.announceStop()
  }
  return { fleet, fleetJobs, live, channels, ...sweeps, stop }
}

/** Opens what runs in the background, from when the server listens until it stops. */
async function openSweeps(ctx: Context, fastify: FastifyInstance, fleet: Fleet) {
  const maintenance = await MaintenanceSweep.open(ctx)
  const policies = new PolicySweep(ctx)
  const serverChecks = new ServerChecks(ctx)
  const serverMachine = new ServerMachine(ctx, fastify)
  const sweep = new AlertSweep(ctx)
  const fleetJobs = new FleetJobs(ctx, fleet)
  fastify.addHook('onListen', async () => policies.start())
  fastify.addHook('onListen', () => serverChecks.start())
  if (!ctx.config.hosted) fastify.addHook('onListen', () => serverMachine.start())
  fastify.addHook('onListen', async () => sweep.start())
  fastify.addHook('onListen', async () => fleetJobs.start())
  fastify.addHook('preClose', async () => {
    await fleetJobs[Symbol.asyncDispose]()
    await sweep[Symbol.asyncDispose]()
    await serverChecks[Symbol.asyncDispose]()
    await serverMachine[Symbol.asyncDispose]()
    await maintenance[Symbol.asyncDispose]()
    await policies[Symbol.asyncDispose]()
    await fleet[Symbol.asyncDispose]()
  })
  return { maintenance, policies, serverMachine, sweep, fleetJobs }
}

/** The functions behind the hooks. */
export const hooks: Hooks = {
  variablesChanged: markVariablesStale,
  async scriptChanged(tx, emit, scriptId) {
    await markScriptChecksStale(tx, emit, scriptId)
    await markTasksOfScriptStale(tx, emit, scriptId)
  },
  async snippetsChanged(tx, emit) {
    await markSnippetChecksStale(tx, emit)
    await markSnippetTasksStale(tx, emit)
  },
  async removeScript(transaction, script) {
    await removeScriptFromChecks(transaction, script.id, script.at)
    await clearScriptInTemplates(transaction, script.id)
    await deleteWithTasks(transaction, script)
  },
  findScriptUses,
  findServerScripts,
  changeAssignmentFields,
  findNodePolicies,
  assignTemplate,
  findNamingPolicies,
  addPolicyItem,
  searchTerms: {
    ...FACT_TERMS,
    software: { permission: 'can_list_software', find: ({ db }, term) => findMachinesBySoftware(db, term) },
    patch: { permission: 'can_manage_winupdates', find: ({ db }, term) => findMachinesByPatch(db, term) },
    alert: { permission: 'can_list_alerts', find: ({ db }, term) => findMachinesByAlert(db, term) },
    check: { permission: 'can_list_checks', find: findMachinesByCheck },
    failing_check: { permission: 'can_list_checks', find: findMachinesByFailingCheck },
    policy: {
      permission: 'can_list_automation_policies',
      find: ({ db }, term) => findMachinesByPolicy(db, term),
    },
    cpu: { permission: 'can_list_agents', find: findMachinesByMetric },
    memory: { permission: 'can_list_agents', find: findMachinesByMetric },
    swap: { permission: 'can_list_agents', find: findMachinesByMetric },
    load: { permission: 'can_list_agents', find: findMachinesByMetric },
  },
  agentValues: [FACT_VALUES, ROW_VALUES, METRIC_VALUES, ALERT_VALUES, POLICY_VALUES],
  countChecks: findCheckCounts,
  openAgentTemplates,
  findAppliedPolicies,
  findPatchPolicies: findWinUpdate,
  changeOwnWinUpdate,
  refuseEnforcedSettings,
  applyPolicies,
  checkIntervalChanged: markIntervalChecksStale,
  endInstallLinks,
  removeAgent: endSessionsOf,
  publish,
  checksFailed: startFailureTasks,
}

/** The functions of features that the fleet calls. */
export function openFleetHandlers(ctx: Context, links: FleetLinks): FleetHandlers {
  const tracker = new RunTracker(ctx)
  const software = new SoftwareRequests((agentId) =>
    links.send(agentId, { name: 'report-software', input: {}, author: 'server' }),
  )
  const rules = new RulesSync(ctx, {
    ...links,
    send: (agentId, input) => links.send(agentId, { name: 'set-remote-rules', input, author: 'server' }),
  })
  return {
    rows: agentRowSource,
    definitions: { checks: checkDefinitions, tasks: taskDefinitions },
    runs: {
      waitForEnd: (id, timeoutMs, signal) => tracker.waitForEnd(id, timeoutMs, signal),
      deliver: (delivery, agentIds, again) => deliverRuns(ctx, delivery, agentIds, again),
      expire: () => expireRuns(ctx),
      findOverlooked: () => findOverlooked(ctx),
    },
    live: {
      metrics: (send) => new LiveMetrics(send),
      processes: (send) => new LiveProcesses(send),
    },
    findRefusal: (agentId, known, link) =>
      turnAwayCopy(ctx, { ...link, agentId, known, isLinkedHere: links.isConnected(agentId) }),
    onUp: (agentId, { remote_rules }) => rules.meet(agentId, remote_rules ?? ''),
    onDown: (agentId) => rules.drop(agentId),
    async abilitiesChanged(tx, emit, agentIds) {
      await markUserChecksStale(tx, emit, agentIds)
      await markUserTasksStale(tx, emit, agentIds)
    },
    async onReturn(machines, sendDefinitions) {
      await failLostRuns(ctx, machines)
      await requeueUnreceived(ctx, machines)
      await endLostSessions(ctx, machines)
      await sendDefinitions()
      const agentIds = machines.map(({ agentId }) => agentId)
      // Not left to the sweep: problems that are over now cancel the scripts that waited for the machine.
      await updateOpenAlerts(ctx, agentIds)
      await cancelResolvedActions(ctx, agentIds)
    },
    async onCaughtUp(agentIds) {
      await cancelResolvedActions(ctx, agentIds)
      await continueCancelling(ctx, agentIds)
    },
    storeReports: (batch) => storeReports(ctx, batch, software),
    async [Symbol.asyncDispose]() {
      tracker[Symbol.dispose]()
      software[Symbol.dispose]()
      await rules[Symbol.asyncDispose]()
    },
  }
}
