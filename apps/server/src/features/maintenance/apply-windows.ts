import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { audit } from '../audit/write-audit.ts'
import {
  activeOccurrence,
  coveredAgents,
  coveredBy,
  findAuditTarget,
  findWindows,
  nextMoment,
  type WindowRow,
} from './queries.ts'
import { recordPeriods } from './record-periods.ts'

type Emit = (event: Event) => void

interface Active {
  window: WindowRow
  /** Machines switched off by hand after this time stay off. */
  since: string
}

export interface Applied {
  /** Machines whose maintenance mode or responsible window has changed. */
  agentIds: string[]
  /** When the next window starts or ends. */
  nextMs: number
  /** Unchanged while the same windows are on. */
  state: string
}

const SLICE = 1000
const SERVER = { username: 'server', source: '' }

/**
 * Brings the machines in line with the windows, whatever happened since the last time: a restart, an edited or deleted
 * window, an added, deleted or moved machine. Everything follows from the rows, so two processes may do it at the same
 * time: one waits for the other and finds nothing to do. Machines that a user switched on (`maintenance_by` is null)
 * are left alone, as are those that a user switched off since the window started.
 */
export async function applyWindows(tx: Db, emit: Emit, now: Date): Promise<Applied> {
  await lockMaintenance(tx)
  const windows = await findWindows(tx)
  const active = findActive(windows, now.getTime())
  const changed = new Set<string>()
  for (const [windowId, agentIds] of await findUncovered(tx, active)) {
    for (const id of await releaseAgents(tx, { windowId, agentIds, active })) changed.add(id)
  }
  for (const { window, since } of active) {
    const switchedOn = await switchOn(tx, window.id, since)
    for (const id of switchedOn) changed.add(id)
    if (switchedOn.length > 0) await emitAudited(tx, emit, { window, machines: switchedOn.length, now })
  }
  const agentIds = [...changed]
  await recordPeriods(tx, agentIds, now)
  if (agentIds.length > 0) emit({ type: 'agent.changed', ids: agentIds, agent_ids: agentIds })
  return {
    agentIds,
    nextMs: Math.min(Number.POSITIVE_INFINITY, ...windows.map((window) => nextMoment(window, now.getTime()))),
    state: JSON.stringify(active.map(({ window, since }) => [window.id, since])),
  }
}

/** Serializes changes of many machines, which could deadlock on PostgreSQL. */
export async function lockMaintenance(tx: Db): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ name: LOCK, value: '0' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '0' }))
    .execute()
}

const LOCK = 'maintenance.lock'

function findActive(windows: WindowRow[], atMs: number): Active[] {
  return windows.flatMap((window) => {
    const occurrence = activeOccurrence(window, atMs)
    if (occurrence === undefined) return []
    // By its schedule, a new window started at the last full minute.
    const startMs = Math.max(occurrence.startMs, Date.parse(window.created_at))
    return [{ window, since: new Date(startMs).toISOString() }]
  })
}

/** Machines switched on by a window that has ended or no longer covers them. */
async function findUncovered(tx: Db, active: Active[]): Promise<Map<number, string[]>> {
  const rows = await tx
    .selectFrom('agents')
    .leftJoin(coveredAgents(tx).as('covered'), (join) =>
      join
        .onRef('covered.agent_id', '=', 'agents.agent_id')
        .onRef('covered.window_id', '=', 'agents.maintenance_by'),
    )
    .where('agents.maintenance_by', 'is not', null)
    .select(['agents.agent_id', 'agents.maintenance_by', 'covered.window_id'])
    .execute()
  const activeIds = new Set(active.map(({ window }) => window.id))
  const found = new Map<number, string[]>()
  for (const { agent_id: agentId, maintenance_by: windowId, window_id: coveredBy } of rows) {
    if (windowId === null || (coveredBy !== null && activeIds.has(windowId))) continue
    found.set(windowId, [...(found.get(windowId) ?? []), agentId])
  }
  return found
}

/** Assigns the machines to other active windows that cover them, and switches off the rest. */
async function releaseAgents(
  tx: Db,
  { windowId, agentIds, active }: { windowId: number; agentIds: string[]; active: Active[] },
): Promise<string[]> {
  const changed: string[] = []
  for (let from = 0; from < agentIds.length; from += SLICE) {
    const slice = agentIds.slice(from, from + SLICE)
    const theirs = (by: number | null) =>
      tx
        .updateTable('agents')
        .set({ maintenance_by: by, ...(by === null ? { maintenance_mode: 0 } : {}) })
        .where('maintenance_by', '=', windowId)
        .where('agent_id', 'in', slice)
        .returning('agent_id')
    for (const { window } of active) {
      if (window.id === windowId) continue
      const handed = await theirs(window.id).where('agent_id', 'in', coveredBy(tx, window.id)).execute()
      changed.push(...handed.map(({ agent_id }) => agent_id))
    }
    changed.push(...(await theirs(null).execute()).map(({ agent_id }) => agent_id))
  }
  return changed
}

async function switchOn(tx: Db, windowId: number, since: string): Promise<string[]> {
  const rows = await tx
    .updateTable('agents')
    .set({ maintenance_mode: 1, maintenance_by: windowId })
    .where('maintenance_mode', '=', 0)
    .where((eb) => eb.or([eb('maintenance_off_at', 'is', null), eb('maintenance_off_at', '<', since)]))
    .where('agent_id', 'in', coveredBy(tx, windowId))
    .returning('agent_id')
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

async function emitAudited(
  tx: Db,
  emit: Emit,
  { window, machines, now }: { window: WindowRow; machines: number; now: Date },
): Promise<void> {
  await audit(tx, {
    caller: SERVER,
    action: 'bulk_action',
    object_type: 'maintenance',
    message: `Switched maintenance mode on for ${machines} ${machines === 1 ? 'machine' : 'machines'} by a window${window.reason === '' ? '' : `: "${window.reason}"`}`,
    after: { window: window.id, machines },
    ...(await findAuditTarget(tx, window.id)),
    at: now,
    emit,
  })
}
