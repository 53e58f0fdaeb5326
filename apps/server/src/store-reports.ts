import { INSTALL_TYPES, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from './context.ts'
import { storeFactReports } from './features/agents/store-facts.ts'
import { endFinishedActions } from './features/alerts/templates/end-finished-actions.ts'
import { storeDropped } from './features/checks/dropped-results.ts'
import { storeResults } from './features/checks/store-results.ts'
import { storeMetrics } from './features/metrics/store-metrics.ts'
import { alertFailedRuns } from './features/patches/policy/alert-failure.ts'
import { storeInstalledPatches, storePatches } from './features/patches/store-patches.ts'
import { storePower } from './features/power/store-power.ts'
import { endReportedSessions } from './features/remote/end-sessions.ts'
import { storeSessionChanges } from './features/remote/session-changes.ts'
import { emitChanged } from './features/runs/deliver-runs.ts'
import { publishEnded } from './features/runs/publish-ended.ts'
import { saveOutputAsNotes, storeRunReports } from './features/runs/store-run-reports.ts'
import type { SoftwareRequests } from './features/software/software-requests.ts'
import { storeSoftware } from './features/software/store-software.ts'
import { lockFieldOwners, storeTaskReports } from './features/tasks/store-task-reports.ts'
import { storeUpdates } from './features/updates/store-updates.ts'
import type { ReportBatch } from './fleet/handlers.ts'

/** All inside one transaction, in this order. Clients and sites are locked first, as when a user changes them. */
export async function storeReports(
  ctx: Context,
  { tx, emit, limits, of }: ReportBatch,
  software: SoftwareRequests,
): Promise<() => Promise<void>> {
  const transaction = { ctx, tx, emit }
  const now = ctx.now()
  const tasks = of('tasks-known', 'task-started', 'task-result', 'task-missed')
  await lockFieldOwners(tx, tasks)
  await storeFactReports(transaction, of('facts'))
  const results = of('checks').map(({ agentId, report }) => ({ agentId, results: report.results, limits }))
  if (results.length > 0) await storeResults(tx, emit, ctx, results)
  await storeDropped(tx, emit, of('checks-dropped'))
  const metrics = of('metrics').map(({ agentId, report }) => ({ agentId, sample: report.sample }))
  if (metrics.length > 0) await storeMetrics(tx, ctx, metrics)
  if (tasks.length > 0) await storeTaskReports(transaction, tasks)
  await endReportedSessions(transaction, of('session-ended'))
  await storeSessionChanges(transaction, of('session-receipt'))
  const wanted = await storeSoftware(tx, emit, { reports: of('software'), now })
  await storeUpdates(transaction, of('update'))
  await storePower(transaction, of('power'))
  await storePatches(tx, emit, { reports: of('patches'), now })
  await storeInstalledPatches(tx, emit, of('installed-patches'))
  const reports = of('accepted', 'started', 'output', 'result')
  const runs = reports.length === 0 ? [] : await storeRunReports(tx, reports, now)
  await saveOutputAsNotes(tx, emit, runs)
  await alertFailedRuns(transaction, runs)
  await publishEnded(ctx, tx, runs)
  return async () => {
    for (const { id, agent_id, type, state } of runs)
      if (INSTALL_TYPES.includes(type) && isFinal(state)) limits.allowList(agent_id, id)
    software.add(wanted.filter((agentId) => limits.mayAskForList(agentId)))
    await endFinishedActions(ctx, runs)
    emitChanged(ctx, runs)
  }
}
