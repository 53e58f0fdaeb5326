import type { AgentRow } from '@muster/contract/api/agents'
import type { MaintenanceWindow } from '@muster/contract/api/maintenance'
import type { Overview, OverviewMaintenance, OverviewNext } from '@muster/contract/api/overview'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { countMachines, selectHeads, selectMachines, sumCounts } from '../fleet-jobs/queries.ts'
import { viewJob } from '../fleet-jobs/view.ts'
import { findOpenMaintenance } from '../maintenance/open-maintenance.ts'
import { listWindows } from '../maintenance/view.ts'

const SHOWN_JOBS = 5
const UNFINISHED = ['running', 'halted', 'paused', 'approval', 'scheduled'] as const

/** Jobs, maintenance and what comes next, for these machines. Jobs are null if the role does not allow them. */
export async function readSchedule(
  ctx: Context,
  caller: Caller,
  { client, rows }: { client: number | undefined; rows: readonly AgentRow[] },
): Promise<Pick<Overview, 'jobs' | 'maintenance' | 'next'>> {
  const asked = { caller, client, now: ctx.now() }
  const seesJobs = mayDo(caller, 'can_list_agent_history')
  const jobs = seesJobs ? await readJobs(ctx.db, asked) : null
  const windows = await listWindows(ctx.db, caller, asked.now)
  const narrow = narrowTargets(rows)
  const maintenance = rows.some((row) => row.maintenance_mode)
    ? await readMaintenance(ctx.db, { ...asked, windows, narrow })
    : []
  const next = [
    seesJobs ? await findNextJob(ctx.db, asked) : undefined,
    findNextWindow(windows, narrow),
    mayDo(caller, 'can_manage_winupdates') ? await findNextPatches(ctx.db, asked) : undefined,
  ]
  return {
    jobs,
    maintenance,
    next: next.filter((one) => one !== undefined).toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  }
}

interface Asked {
  caller: Caller
  client: number | undefined
  now: Date
}

/** Jobs with machines that the caller sees. */
function selectJobs(db: Db, { caller, client }: Asked) {
  const isLimited = !caller.scope.all || client !== undefined
  return selectHeads(db).$if(isLimited, (query) =>
    query.where(
      'id',
      'in',
      selectMachines(db, caller)
        .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
        .innerJoin('sites', 'sites.id', 'agents.site_id')
        .$if(client !== undefined, (machines) => machines.where('sites.client_id', '=', client ?? 0))
        .select('fleet_job_agents.job_id')
        .distinct(),
    ),
  )
}

/** Jobs that are not over. */
async function readJobs(db: Db, asked: Asked): Promise<Overview['jobs']> {
  const heads = await selectJobs(db, asked)
    .where('state', 'in', UNFINISHED)
    .orderBy('id', 'desc')
    .limit(SHOWN_JOBS)
    .execute()
  const jobs = []
  for (const job of heads) {
    jobs.push(viewJob(job, sumCounts(await countMachines(db, job.id, asked.caller))))
    // SQLite is synchronous: other calls run in between.
    await setImmediate()
  }
  return jobs
}

/** A scheduled job, or the next time of a repeating one. The machines of that are not known before, so it belongs to no client. */
async function findNextJob(db: Db, asked: Asked): Promise<OverviewNext | undefined> {
  const { caller, client, now } = asked
  const scheduled = await selectJobs(db, asked)
    .where('state', '=', 'scheduled')
    .where('starts_at', '>', now.toISOString())
    .orderBy('starts_at')
    .limit(1)
    .executeTakeFirst()
  const repeating = await db
    .selectFrom('repeating_jobs')
    .select(['name', 'next_at'])
    .where('paused', '=', 0)
    .where('next_at', '>', now.toISOString())
    .$if(!caller.scope.all, (query) => query.where('user_id', '=', caller.userId))
    .$if(client !== undefined, (query) => query.where('id', '<', 0))
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  const [first] = [
    { name: scheduled?.name ?? '', job: scheduled?.id ?? null, at: scheduled?.starts_at },
    { name: repeating?.name ?? '', job: null, at: repeating?.next_at },
  ]
    .flatMap(({ at, ...job }) => (at == null ? [] : [{ kind: 'job' as const, at, ...job }]))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
  return first
}

/** The machines with the earliest installation by a policy. */
async function findNextPatches(db: Db, { caller, client, now }: Asked): Promise<OverviewNext | undefined> {
  const first = await db
    .selectFrom('machine_patch_policies')
    .innerJoin('agents', 'agents.id', 'machine_patch_policies.agent')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where('machine_patch_policies.next_at', '>', now.toISOString())
    .where(visibleTo(caller))
    .$if(client !== undefined, (query) => query.where('sites.client_id', '=', client ?? 0))
    .select((eb) => ['machine_patch_policies.next_at', eb.fn.countAll<number>().as('machines')])
    .groupBy('machine_patch_policies.next_at')
    .orderBy('machine_patch_policies.next_at')
    .limit(1)
    .executeTakeFirst()
  return first?.next_at == null
    ? undefined
    : { kind: 'patches', at: first.next_at, machines: Number(first.machines) }
}

type Targets = MaintenanceWindow['targets']
type Id = Targets[number]['id']
type Narrow = (targets: Targets) => { targets: Targets; machines: number }

/** Limits targets to those with machines of these rows, and counts the machines. */
function narrowTargets(rows: readonly AgentRow[]): Narrow {
  return (all) => {
    const counts = {
      client: new Map<Id, number>(),
      site: new Map<Id, number>(),
      agent: new Map<Id, number>(),
    }
    for (const { type, id } of all) counts[type].set(id, 0)
    const isCounted = (of: Map<Id, number>, id: Id) => {
      const count = of.get(id)
      if (count !== undefined) of.set(id, count + 1)
      return count !== undefined
    }
    const covered = rows.filter((row) =>
      [
        isCounted(counts.client, row.client_id),
        isCounted(counts.site, row.site_id),
        isCounted(counts.agent, row.agent_id),
      ].includes(true),
    )
    return {
      targets: all.filter(({ type, id }) => (counts[type].get(id) ?? 0) > 0),
      machines: covered.length,
    }
  }
}

function findNextWindow(windows: readonly MaintenanceWindow[], narrow: Narrow): OverviewNext | undefined {
  const [first] = windows
    .flatMap(({ next_start: at, targets }) => {
      const narrowed = narrow(targets)
      return at === null || narrowed.machines === 0 ? [] : [{ kind: 'maintenance' as const, at, ...narrowed }]
    })
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
  return first
}

/** Current maintenance. Without an end comes last. */
async function readMaintenance(
  db: Db,
  { caller, now, windows, narrow }: Asked & { windows: readonly MaintenanceWindow[]; narrow: Narrow },
): Promise<OverviewMaintenance[]> {
  const ending = windows.filter(({ active, active_until }) => active && active_until !== null)
  const open = await findOpenMaintenance(db, { caller, now })
  return [
    ...ending.map(({ active_until, ...window }) => ({ ...window, until: active_until, since: null })),
    ...open.map((entry) => ({ ...entry, until: null })),
  ]
    .map(({ targets, reason, until, since }) => ({ ...narrow(targets), reason, until, since }))
    .filter(({ targets }) => targets.length > 0)
    .toSorted((a, b) => ((a.until ?? '9') < (b.until ?? '9') ? -1 : 1))
}
