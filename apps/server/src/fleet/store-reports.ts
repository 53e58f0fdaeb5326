import type { Context } from '../context.ts'
import type { QueuedReport } from '../platform/agent-link/report-queue.ts'
import { settleActions } from '../features/alerts/templates/settle-actions.ts'
import { type ReportedDrop, storeDropped } from '../features/checks/dropped-results.ts'
import { redefineVariables } from '../features/checks/redefine-variables.ts'
import { type ReportedResults, storeResults } from '../features/checks/store-results.ts'
import { emitChanged } from '../features/runs/deliver-runs.ts'
import { saveOutputAsNotes } from '../features/runs/save-as-note.ts'
import { type ReportedRun, storeRunReports } from '../features/runs/store-run-reports.ts'
import { type ReportedMetrics, storeMetrics } from '../features/metrics/store-metrics.ts'
import { type ReportedPatches, storePatches } from '../features/patches/store-patches.ts'
import { endReportedSessions, type ReportedEnd } from '../features/remote/end-sessions.ts'
import { type ReportedReceipt, storeReceipts } from '../features/remote/receipts.ts'
import { type ReportedSoftware, storeSoftware } from '../features/software/store-software.ts'
import { lockFieldOwners } from '../features/tasks/lock-field-owners.ts'
import { type ReportedTask, storeTaskReports } from '../features/tasks/store-task-reports.ts'
import type { ReportLimits } from './report-limits.ts'
import { type FactsReport, storeFacts } from '../features/agents/store-facts.ts'

/** Sends an agent the definitions that it lacks. */
interface Wanted {
  tell(agentId: string, ids: number[]): void
}

/** Stores reports of agents, all or none, and acts on them. */
export async function storeReports(
  ctx: Context,
  wanted: {
    checks: Wanted
    tasks: Wanted
    software: { add(agentIds: string[]): void }
    limits: ReportLimits
  },
  reports: QueuedReport[],
): Promise<void> {
  const runReports: ReportedRun[] = []
  const facts = new Map<string, FactsReport[]>()
  const results: ReportedResults[] = []
  const metrics: ReportedMetrics[] = []
  const dropped: ReportedDrop[] = []
  const ofTasks: ReportedTask[] = []
  const sessions: ReportedEnd[] = []
  const receipts: ReportedReceipt[] = []
  const software: ReportedSoftware[] = []
  const patches: ReportedPatches[] = []
  const { limits } = wanted
  const { taken, onStored } = limits.sift(reports)
  for (const { agentId, report } of taken) {
    switch (report.kind) {
      case 'facts':
        facts.set(agentId, [...(facts.get(agentId) ?? []), report])
        break
      case 'checks':
        results.push({ agentId, results: report.results, limits })
        break
      case 'metrics':
        metrics.push({ agentId, sample: report.sample })
        break
      case 'checks-missing':
        wanted.checks.tell(agentId, report.ids)
        break
      case 'checks-dropped':
        dropped.push({ agentId, report })
        break
      case 'tasks-missing':
        wanted.tasks.tell(agentId, report.ids)
        break
      case 'tasks-known':
      case 'task-started':
      case 'task-result':
      case 'task-missed':
        ofTasks.push({ agentId, report })
        break
      case 'session-ended':
        sessions.push({ agentId, report })
        break
      case 'session-receipt':
        receipts.push({ agentId, report })
        break
      case 'software':
        software.push({ agentId, report })
        break
      case 'patches':
        patches.push({ agentId, report })
        break
      default:
        runReports.push({ agentId, report })
    }
  }
  let wantedSoftware: string[] = []
  const runs = await ctx.transaction(async (tx, emit) => {
    await lockFieldOwners(tx, ofTasks)
    const anew = await storeFacts(tx, ctx.now(), facts)
    await redefineVariables(tx, emit, { agentIds: anew })
    const passing = [...new Set(facts.keys()).difference(new Set(anew))]
    if (anew.length > 0) emit({ type: 'agent.changed', ids: anew, agent_ids: anew })
    if (passing.length > 0) emit({ type: 'agent.changed', ids: passing, agent_ids: passing, passing: true })
    if (results.length > 0) await storeResults(tx, emit, ctx, results)
    await storeDropped(tx, emit, dropped)
    if (metrics.length > 0) await storeMetrics(tx, ctx, metrics)
    if (ofTasks.length > 0) await storeTaskReports({ ctx: ctx, tx, emit }, ofTasks)
    await endReportedSessions({ ctx, tx, emit }, sessions)
    await storeReceipts({ ctx, tx, emit }, receipts)
    wantedSoftware = await storeSoftware(tx, emit, { reports: software, now: ctx.now() })
    await storePatches(tx, emit, { reports: patches, now: ctx.now() })
    if (runReports.length === 0) return []
    const changed = await storeRunReports(tx, runReports, ctx.now())
    await saveOutputAsNotes(tx, emit, changed)
    return changed
  })
  onStored()
  wanted.software.add(wantedSoftware.filter((agentId) => limits.mayAskForList(agentId)))
  await settleActions(ctx, runs)
  emitChanged(ctx, runs)
}
