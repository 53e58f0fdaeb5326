import type {
  MaintenanceSchedule,
  MaintenanceTarget,
  MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import type { Event } from '@muster/contract/events'
import { AppError } from '@muster/contract/errors'
import {
  findScheduleProblem,
  nextOccurrence,
  occurrenceAt,
} from '@muster/rules/schedules/maintenance-schedule'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { laterThan } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { applyWindows, lockMaintenance } from './apply-windows.ts'
import {
  countTargets,
  coveredBy,
  deleteWindows,
  findAuditTarget,
  insertWindow,
  replaceTargets,
  updateWindow,
} from './queries.ts'
import { requireTargets } from './require-targets.ts'
import { requireWindow } from './view.ts'

export interface WindowParts {
  reason: string
  targets: MaintenanceTarget[]
  schedule: MaintenanceSchedule
}

interface Order {
  ctx: Context
  caller: Caller
  id: number
}

type AddedWindow = MaintenanceWindow & { taken_over: number }

/**
 * The latest decision wins: machines that were in maintenance without an end, and that a window starting now covers,
 * leave maintenance when that window ends.
 */
export function addWindow(ctx: Context, caller: Caller, parts: WindowParts): Promise<AddedWindow> {
  return ctx.transaction(async (tx, emit) => {
    await lockMaintenance(tx)
    const now = ctx.now()
    const targets = await requireTargets(tx, caller, parts.targets)
    refuseSchedule(parts.schedule, now)
    const { id } = await insertWindow(tx, {
      reason: parts.reason,
      schedule: JSON.stringify(parts.schedule),
      ended_at: null,
      created_by: caller.username,
      created_at: now.toISOString(),
      modified: now.toISOString(),
    })
    await replaceTargets(tx, id, targets)
    const window = await requireWindow(tx, { id, caller, now })
    const takenOver = window.active ? await takeOver(tx, id) : []
    const after = { ...forAudit(window), ...(takenOver.length > 0 ? { taken_over: takenOver.length } : {}) }
    await noteChange(tx, emit, { caller, action: 'add', verb: 'Added', window, after, now })
    if (takenOver.length > 0) emit({ type: 'agent.changed', ids: takenOver, agent_ids: takenOver })
    await applyWindows(tx, emit, now)
    return { ...window, taken_over: takenOver.length }
  })
}

async function takeOver(tx: Db, windowId: number): Promise<string[]> {
  const rows = await tx
    .updateTable('agents')
    .set({ maintenance_by: windowId })
    .where('maintenance_mode', '=', 1)
    .where('maintenance_by', 'is', null)
    .where('agent_id', 'in', coveredBy(tx, windowId))
    .returning('agent_id')
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** Throws if `modified` is stale because of another save. */
export function changeWindow(
  { ctx, caller, id }: Order,
  { modified, ...parts }: WindowParts & { modified?: string | undefined },
): Promise<MaintenanceWindow> {
  return ctx.transaction(async (tx, emit) => {
    const now = ctx.now()
    const before = await requireOwnWindow(tx, { caller, id, now })
    if (modified !== undefined && modified !== before.modified) {
      throw new AppError(
        'changed_meanwhile',
        'This window was changed by another user. Reload it and try again.',
      )
    }
    const targets = await requireTargets(tx, caller, parts.targets)
    const isMoved = JSON.stringify(parts.schedule) !== JSON.stringify(before.schedule)
    if (isMoved) refuseSchedule(parts.schedule, now)
    await updateWindow(tx, id, {
      reason: parts.reason,
      schedule: JSON.stringify(parts.schedule),
      modified: laterThan(before.modified, now),
      // A new time of a single window reactivates it.
      ...(isMoved && parts.schedule.recurs === 'once' ? { ended_at: null } : {}),
    })
    await replaceTargets(tx, id, targets)
    const window = await requireWindow(tx, { id, caller, now })
    await noteChange(tx, emit, {
      caller,
      action: 'modify',
      verb: 'Changed',
      window,
      before: forAudit(before),
      after: forAudit(window),
      now,
    })
    await applyWindows(tx, emit, now)
    return window
  })
}

/** Ends the current occurrence. A recurring window starts again at its next time. */
export function endWindow({ ctx, caller, id }: Order): Promise<MaintenanceWindow> {
  return ctx.transaction(async (tx, emit) => {
    const now = ctx.now()
    const before = await requireOwnWindow(tx, { caller, id, now })
    if (!before.active) throw new AppError('already_finished', 'This maintenance window is not active.')
    await updateWindow(tx, id, { ended_at: now.toISOString() })
    const change = { caller, action: 'modify' as const, verb: 'Ended', window: before }
    await noteChange(tx, emit, { ...change, before: { active: true }, after: { active: false }, now })
    await applyWindows(tx, emit, now)
    return requireWindow(tx, { id, caller, now })
  })
}

export async function removeWindow({ ctx, caller, id }: Order): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const now = ctx.now()
    const window = await requireOwnWindow(tx, { caller, id, now })
    const change = { caller, action: 'delete' as const, verb: 'Deleted', window, before: forAudit(window) }
    await noteChange(tx, emit, { ...change, now })
    await deleteWindows(tx, [id])
    await applyWindows(tx, emit, now)
  })
}

/** Returns the window, locked until the transaction ends. Throws for callers who see only a part of it. */
async function requireOwnWindow(
  tx: Db,
  { caller, id, now }: { caller: Caller; id: number; now: Date },
): Promise<MaintenanceWindow> {
  await lockMaintenance(tx)
  const window = await requireWindow(tx, { id, caller, now })
  const { scope } = caller
  const partOnly = window.targets.some(
    ({ type, id: target }) => type === 'client' && !scope.all && !scope.clientIds.includes(Number(target)),
  )
  if (partOnly || window.targets.length < (await countTargets(tx, id))) {
    throw new AppError(
      'not_allowed',
      'This maintenance window also covers machines that you may not see, so you may not change it.',
    )
  }
  return window
}

function refuseSchedule(schedule: MaintenanceSchedule, now: Date): void {
  const problem = findScheduleProblem(schedule)
  if (problem !== undefined) refuse(`schedule.${problem.field}`, problem.sentence)
  const nowMs = now.getTime()
  if (occurrenceAt(schedule, nowMs) === undefined && nextOccurrence(schedule, nowMs) === undefined) {
    refuse('schedule.starts', 'This time is over. Choose a later one.')
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}

async function noteChange(
  tx: Db,
  emit: (event: Event) => void,
  change: {
    caller: Caller
    action: 'add' | 'modify' | 'delete'
    verb: string
    window: MaintenanceWindow
    before?: unknown
    after?: unknown
    now: Date
  },
): Promise<void> {
  const { caller, action, verb, window, before, after, now } = change
  const [first] = window.targets
  const more = window.targets.length - 1
  const name = first === undefined ? '' : ` for "${first.name}"${more > 0 ? ` and ${more} more` : ''}`
  await audit(tx, {
    caller,
    action,
    object_type: 'maintenance',
    message: `${verb} a maintenance window${name}${window.reason === '' ? '' : `: "${window.reason}"`}`,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(await findAuditTarget(tx, window.id)),
    at: now,
    emit,
  })
  emit({ type: 'maintenance.changed', ids: [window.id] })
}

const MAX_AUDITED_TARGETS = 50

function forAudit({ reason, schedule, targets }: MaintenanceWindow): Record<string, unknown> {
  const names = targets.slice(0, MAX_AUDITED_TARGETS).map(({ type, name }) => `${type} ${name}`)
  const more = targets.length - names.length
  return { reason, ...schedule, covers: more > 0 ? [...names, `and ${more} more`] : names }
}
