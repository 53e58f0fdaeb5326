import type {
  FleetPatch,
  findPatches,
  PatchFailure,
  PatchMachine,
  PatchSummary,
} from '@muster/contract/api/patches'
import type { OverviewPatches } from '@muster/contract/api/overview'
import type { Parsed } from '@muster/contract/endpoint'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Db } from '../../platform/database/database.ts'
import { contains } from '../../platform/database/sql.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

/** The machines that a caller asks about. */
export interface PatchScope {
  scope: Scope
  client: number | undefined
}

type Filter = Parsed<typeof findPatches>['query']

const DECISIONS = {
  undecided: ['inherit', 'nothing'],
  approved: ['approve'],
  ignored: ['ignore'],
} as const

/** A page of the patches that machines in scope can install. */
export async function readFleetPatches(
  db: Db,
  asked: PatchScope,
  filter: Filter,
): Promise<{ total: number; results: FleetPatch[] }> {
  let found = db
    .selectFrom('machine_patch_versions')
    .innerJoin('patch_versions', 'patch_versions.id', 'machine_patch_versions.patch')
    .$if(isLimited(asked), (query) => query.where(isInScope(asked)))
  for (const word of filter.search.split(/\s+/).filter(Boolean))
    found = found.where((eb) => contains(eb.ref('search_text'), word))
  if (filter.severity !== undefined)
    found = found.where('severity', '=', filter.severity === 'none' ? '' : filter.severity)
  if (filter.security !== undefined) found = found.where('security', '=', filter.security === 'true' ? 1 : 0)
  const { decision } = filter
  const rows = await found
    .select((eb) => [
      'digest as patch',
      'guid',
      'source',
      'title',
      'kb',
      'version',
      'severity',
      'security',
      'needs_reboot',
      'first_seen',
      eb.fn.countAll<number>().as('machines'),
      eb.fn.countAll<number>().filterWhere('action', '=', 'approve').as('approved'),
      eb.fn.countAll<number>().filterWhere('action', '=', 'ignore').as('ignored'),
      // Counted over the groups before paging.
      sql<number>`count(*) over ()`.as('total'),
    ])
    .groupBy('patch_versions.id')
    .$if(decision !== undefined, (query) =>
      query.having(
        (eb) => eb.fn.countAll().filterWhere('action', 'in', DECISIONS[decision ?? 'undecided']),
        '>',
        0,
      ),
    )
    .$if(filter.sort === 'severity', (query) => query.orderBy('severity_rank').orderBy('machines', 'desc'))
    .$if(filter.sort === '-machines', (query) => query.orderBy('machines', 'desc'))
    .$if(filter.sort === '-first_seen', (query) => query.orderBy('first_seen', 'desc'))
    .orderBy('title')
    .orderBy('patch_versions.id')
    .limit(filter.page_size)
    .offset((filter.page - 1) * filter.page_size)
    .execute()
  return {
    total: Number(rows[0]?.total ?? 0),
    results: rows.map(({ total: _total, ...row }) => ({
      ...row,
      // Stored from a parsed report.
      severity: row.severity as FleetPatch['severity'],
      security: row.security === 1,
      needs_reboot: row.needs_reboot === 1,
      machines: Number(row.machines),
      approved: Number(row.approved),
      ignored: Number(row.ignored),
    })),
  }
}

export function findPatchMachines(db: Db, asked: PatchScope, patch: string): Promise<PatchMachine[]> {
  return db
    .selectFrom('patch_versions')
    .innerJoin('machine_patch_versions', 'machine_patch_versions.patch', 'patch_versions.id')
    .innerJoin('machine_patches', 'machine_patches.agent', 'machine_patch_versions.agent')
    .innerJoin('agents', 'agents.id', 'machine_patch_versions.agent')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['agents.agent_id', 'hostname', 'plat', 'clients.name as client', 'sites.name as site'])
    .select(['action', 'current_version', 'looked_at'])
    .where('digest', '=', patch)
    .where(visibleTo(asked))
    .$if(asked.client !== undefined, (query) => query.where('clients.id', '=', asked.client ?? 0))
    .orderBy('hostname')
    .orderBy('agents.id')
    .execute()
}

const DAYS = 90
const DAY_MS = 86_400_000

export async function readPatchSummary(db: Db, asked: PatchScope, now: Date): Promise<PatchSummary> {
  const counts = await selectMachines(db, asked)
    .select((eb) => [
      eb.fn.countAll<number>().as('machines'),
      eb.fn.count<number>('machine_patches.changed_at').as('scanned'),
      eb.fn.count<number>('machine_patches.problem').as('failed_scans'),
      eb.fn
        .count<number>('machine_patches.changed_at')
        .filterWhere('machine_patches.pending', '=', 0)
        .as('up_to_date'),
    ])
    .executeTakeFirstOrThrow()
  const severities = await db
    .selectFrom('machine_patch_versions')
    .innerJoin('patch_versions', 'patch_versions.id', 'machine_patch_versions.patch')
    .$if(isLimited(asked), (query) => query.where(isInScope(asked)))
    .where('action', '!=', 'ignore')
    .select((eb) => [
      'severity',
      'security',
      'severity_rank',
      eb.fn.count<number>('patch').distinct().as('patches'),
      eb.fn.count<number>('agent').distinct().as('machines'),
    ])
    .groupBy(['severity', 'security', 'severity_rank'])
    .orderBy('severity_rank')
    .orderBy('security', 'desc')
    .execute()
  return {
    machines: Number(counts.machines),
    scanned: Number(counts.scanned),
    up_to_date: Number(counts.up_to_date),
    failed_scans: Number(counts.failed_scans),
    severities: severities.map((row) => ({
      severity: row.severity as FleetPatch['severity'],
      security: row.security === 1,
      patches: Number(row.patches),
      machines: Number(row.machines),
    })),
    days: await readDays(db, asked, now),
  }
}

/** How many machines miss a grave patch, and how many patches wait for a decision. Ignored ones do not count. */
export async function countMissing(db: Db, asked: PatchScope): Promise<OverviewPatches> {
  const missing = db
    .selectFrom('machine_patch_versions')
    .innerJoin('patch_versions', 'patch_versions.id', 'machine_patch_versions.patch')
    .$if(isLimited(asked), (query) => query.where(isInScope(asked)))
  const grave = await missing
    .where('severity', 'in', ['Critical', 'Important'])
    .where('action', '!=', 'ignore')
    .select((eb) => [
      'severity',
      eb.fn.count<number>('agent').distinct().as('machines'),
      eb.fn.min('first_seen').as('oldest'),
    ])
    .groupBy('severity')
    .execute()
  const { undecided } = await missing
    .where('action', 'in', DECISIONS.undecided)
    .select((eb) => eb.fn.count<number>('patch').distinct().as('undecided'))
    .executeTakeFirstOrThrow()
  const critical = grave.find(({ severity }) => severity === 'Critical')
  const important = grave.find(({ severity }) => severity === 'Important')
  return {
    critical: Number(critical?.machines ?? 0),
    important: Number(important?.machines ?? 0),
    oldest_critical: critical?.oldest ?? null,
    undecided: Number(undecided),
  }
}

/** Days are stored per client, so only callers who see whole clients get them. */
async function readDays(db: Db, { scope, client }: PatchScope, now: Date): Promise<PatchSummary['days']> {
  const rows = await db
    .selectFrom('patch_days')
    .select((eb) => [
      'day',
      eb.fn.sum<number>('scanned').as('scanned'),
      eb.fn.sum<number>('up_to_date').as('up_to_date'),
    ])
    .where('day', '>=', firstDay(now))
    .$if(!scope.all, (query) => query.where('client_id', 'in', scope.all ? [] : [...scope.clientIds, 0]))
    .$if(client !== undefined, (query) => query.where('client_id', '=', client ?? 0))
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows.map((row) => ({
    day: row.day,
    scanned: Number(row.scanned),
    up_to_date: Number(row.up_to_date),
  }))
}

/** Stores today's numbers of each client. Runs every hour, so that the day ends with its last state. */
export async function recordPatchDay(db: Db, now: Date): Promise<void> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('machine_patches', 'machine_patches.agent', 'agents.id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select((eb) => [
      'sites.client_id',
      eb.fn.countAll<number>().as('scanned'),
      eb.fn.countAll<number>().filterWhere('pending', '=', 0).as('up_to_date'),
    ])
    .where('changed_at', 'is not', null)
    .groupBy('sites.client_id')
    .execute()
  const day = now.toISOString().slice(0, 10)
  for (const { client_id, scanned, up_to_date } of rows) {
    const values = { scanned: Number(scanned), up_to_date: Number(up_to_date) }
    await db
      .insertInto('patch_days')
      .values({ day, client_id, ...values })
      .onConflict((conflict) => conflict.columns(['day', 'client_id']).doUpdateSet(values))
      .execute()
  }
}

/** Deletes versions that no machine can install, and days that no screen shows. */
export async function deleteUnusedPatches(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('patch_versions')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('machine_patch_versions').select('agent').whereRef('patch', '=', 'patch_versions.id'),
        ),
      ),
    )
    .execute()
  await db.deleteFrom('patch_days').where('day', '<', firstDay(now)).execute()
}

const firstDay = (now: Date) => new Date(now.getTime() - DAYS * DAY_MS).toISOString().slice(0, 10)

const FAILED = ['failed', 'expired'] as const

/**
 * Failed scans, then machines whose last installation failed, then those whose policy did not come to install anything;
 * each with the latest first.
 */
export async function findPatchFailures(db: Db, asked: PatchScope): Promise<PatchFailure[]> {
  const machine = [
    'agents.agent_id',
    'hostname',
    'connected',
    'clients.name as client',
    'sites.name as site',
  ] as const
  const scans = await selectMachines(db, asked)
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(machine)
    .select(['machine_patches.problem', 'machine_patches.looked_at'])
    .where('machine_patches.problem', 'is not', null)
    .orderBy('machine_patches.looked_at', 'desc')
    .execute()
  const installs = await selectMachines(db, asked)
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .innerJoin('agent_history', 'agent_history.agent_id', 'agents.agent_id')
    .select(machine)
    .select([
      'agent_history.id as run',
      'agent_history.reason',
      'agent_history.time',
      'agent_history.retcode',
    ])
    .where('agent_history.state', 'in', FAILED)
    .where((eb) =>
      eb(
        'agent_history.id',
        '=',
        eb
          .selectFrom('agent_history as other')
          .select((one) => one.fn.max('other.id').as('last'))
          .whereRef('other.agent_id', '=', 'agents.agent_id')
          .where('other.type', '=', 'patch_install'),
      ),
    )
    .orderBy('agent_history.id', 'desc')
    .execute()
  const policies = await selectMachines(db, asked)
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .innerJoin('patch_installs', 'patch_installs.agent', 'agents.id')
    .select(machine)
    .select(['patch_installs.reason', 'patch_installs.finished_at'])
    .where('patch_installs.state', 'in', ['failed', 'missed'])
    // A failed run is in the list already.
    .where((eb) =>
      eb.or([eb('patch_installs.step', '!=', 'install'), eb('patch_installs.state', '=', 'missed')]),
    )
    .where((eb) =>
      eb(
        'patch_installs.id',
        '=',
        eb
          .selectFrom('patch_installs as other')
          .select((one) => one.fn.max('other.id').as('last'))
          .whereRef('other.agent', '=', 'agents.id'),
      ),
    )
    .orderBy('patch_installs.id', 'desc')
    .execute()
  return [
    ...scans.map(({ problem, looked_at, connected, ...row }) => ({
      ...row,
      connected: connected === 1,
      kind: 'scan' as const,
      reason: problem ?? '',
      at: looked_at ?? '',
      run: null,
    })),
    ...installs.map(({ run, reason, time, retcode, connected, ...row }) => ({
      ...row,
      connected: connected === 1,
      kind: 'install' as const,
      reason: reason ?? `The installation ended with exit code ${retcode}.`,
      at: time,
      run,
    })),
    ...policies.map(({ reason, finished_at, connected, ...row }) => ({
      ...row,
      connected: connected === 1,
      kind: 'policy' as const,
      reason: reason ?? '',
      at: finished_at ?? '',
      run: null,
    })),
  ]
}

/** The machines in scope, with their last scan. */
function selectMachines(db: Db, asked: PatchScope) {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('machine_patches', 'machine_patches.agent', 'agents.id')
    .where(visibleTo(asked))
    .$if(asked.client !== undefined, (query) => query.where('sites.client_id', '=', asked.client ?? 0))
}

const isLimited = ({ scope, client }: PatchScope) => !scope.all || client !== undefined

/** Filters machine_patch_versions by machine. With access to all, nothing is joined. */
function isInScope(asked: PatchScope) {
  return (eb: ExpressionBuilder<Database, 'machine_patch_versions'>) =>
    eb.exists(
      eb
        .selectFrom('agents')
        .innerJoin('sites', 'sites.id', 'agents.site_id')
        .select('agents.id')
        .whereRef('agents.id', '=', 'machine_patch_versions.agent')
        .where(visibleTo(asked))
        .$if(asked.client !== undefined, (query) => query.where('sites.client_id', '=', asked.client ?? 0)),
    )
}
