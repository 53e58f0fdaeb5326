import type { Report } from '@muster/contract/agent/link'
import type { Context } from '../context.ts'
import type { QueuedReport } from '../platform/agent-link/report-queue.ts'
import type { FleetHandlers, Reported } from './handlers.ts'
import type { ReportLimits } from './report-limits.ts'

/** Sends an agent the definitions that it lacks. */
interface Wanted {
  tell(agentId: string, ids: number[]): void
}

/** Stores reports of agents, all or none, and acts on them. */
export async function storeReports(
  ctx: Context,
  owner: {
    checks: Wanted
    tasks: Wanted
    limits: ReportLimits
    handlers: Pick<FleetHandlers, 'storeReports'>
  },
  reports: QueuedReport[],
): Promise<void> {
  const { checks, tasks, limits, handlers } = owner
  const { taken, onStored } = limits.sift(reports)
  for (const { agentId, report } of taken) {
    if (report.kind === 'checks-missing') checks.tell(agentId, report.ids)
    if (report.kind === 'tasks-missing') tasks.tell(agentId, report.ids)
  }
  const of = <Kind extends Report['kind']>(...kinds: Kind[]) => {
    const isOf = (entry: QueuedReport): entry is Reported<Kind> =>
      (kinds as Report['kind'][]).includes(entry.report.kind)
    return taken.filter(isOf)
  }
  const afterCommit = await ctx.transaction((tx, emit) => handlers.storeReports({ tx, emit, limits, of }))
  onStored()
  await afterCommit()
}
