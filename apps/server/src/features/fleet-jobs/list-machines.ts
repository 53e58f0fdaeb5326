import type { JobMachine, SkipCode } from '@muster/contract/api/fleet-jobs'
import type { Db } from '../../platform/database/database.ts'
import { contains } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { selectMachines } from './queries.ts'

const RUNNING_NOW = 10

interface MachineFilter {
  state?: JobMachine['state'] | undefined
  group?: string | undefined
  search?: string | undefined
  /** The machine before the first one. */
  after?: string | undefined
  page: number
  page_size: number
}

const STATES = ['waiting', 'running', 'succeeded', 'failed', 'skipped'] as const

export async function readMachines(
  db: Db,
  caller: Caller,
  jobId: number,
  { state, group, search, after, page, page_size }: MachineFilter,
): Promise<{ total: number; page: number; page_size: number; results: JobMachine[] }> {
  const isState = STATES.find((one) => one === group)
  let query = selectMachines(db, caller).where('job_id', '=', jobId)
  if (state !== undefined) query = query.where('fleet_job_agents.state', '=', state)
  if (isState !== undefined)
    query = query.where('fleet_job_agents.state', '=', isState).where('output_group', '=', '')
  else if (group !== undefined) query = query.where('output_group', '=', group)
  if (search !== undefined && search !== '')
    query = query.where((eb) =>
      eb.or([
        contains(eb.ref('fleet_job_agents.hostname'), search),
        contains(eb.ref('fleet_job_agents.client_name'), search),
        contains(eb.ref('fleet_job_agents.site_name'), search),
      ]),
    )
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  if (after !== undefined)
    query = query.where('position', '>', (eb) =>
      eb
        .selectFrom('fleet_job_agents as last')
        .select('last.position')
        .where('last.job_id', '=', jobId)
        .where('last.agent_id', '=', after),
    )
  const rows = await selectParts(query)
    .orderBy('position')
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute()
  return { total: Number(total), page, page_size, results: rows.map(viewMachine) }
}

/** The running machines that have run longest. */
export async function readFirstRunning(db: Db, caller: Caller, jobId: number): Promise<JobMachine[]> {
  const query = selectMachines(db, caller)
    .where('job_id', '=', jobId)
    .where('fleet_job_agents.state', '=', 'running')
    // True for all of them. By these conditions an index has their order.
    .where('output_group', '=', '')
    .where('fleet_job_agents.execution_time', 'is', null)
  const rows = await selectParts(query).orderBy('fleet_job_agents.started_at').limit(RUNNING_NOW).execute()
  return rows.map(viewMachine)
}

function selectParts(query: ReturnType<typeof selectMachines>) {
  return query
    .leftJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .leftJoin('agent_history', 'agent_history.id', 'fleet_job_agents.history_id')
    .selectAll('fleet_job_agents')
    .select(['agents.agent_id as existing', 'agents.connected', 'agent_history.state as phase'])
}

type MachineParts = Awaited<ReturnType<ReturnType<typeof selectParts>['execute']>>[number]

function viewMachine(row: MachineParts): JobMachine {
  return {
    agent_id: row.agent_id,
    hostname: row.hostname,
    client_name: row.client_name,
    site_name: row.site_name,
    exists: row.existing !== null,
    connected: row.connected === 1,
    wave: row.wave,
    state: row.state,
    phase: row.state === 'running' ? phaseOf(row.phase) : null,
    // Written from SkipCode.
    skip: row.skip as SkipCode | null,
    reason: row.reason ?? (row.state === 'waiting' && row.connected !== 1 ? 'The machine is offline.' : null),
    due_at: row.state === 'waiting' ? row.due_at : null,
    tries: row.tries,
    retcode: row.retcode,
    group: row.output_group === '' ? row.state : row.output_group,
    line: row.line,
    started_at: row.started_at,
    finished_at: row.finished_at === '' ? null : row.finished_at,
    execution_time: row.execution_time,
    history: row.history_id,
  }
}

export function phaseOf(state: string | null): NonNullable<JobMachine['phase']> {
  switch (state) {
    case null:
      return 'requested'
    case 'queued':
    case 'sent':
    case 'accepted':
      return state
    default:
      return 'running'
  }
}
