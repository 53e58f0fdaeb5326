import type { Event } from '@muster/contract/events'
import type { PendingAction } from '@muster/contract/api/pending-actions'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Scope } from '../../../platform/http/caller.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { PendingActionsTable } from '../../../platform/database/tables/history.ts'
import { visibleTo } from '../../../platform/database/visible-to.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyDay } from '../../../platform/jobs/schedule.ts'

/** Restarts that the machine has planned itself. */
export function findSentReboots(db: Db, agentId: string): Promise<{ id: number }[]> {
  return db
    .selectFrom('pending_actions')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('action_type', '=', 'schedreboot')
    .where('status', '=', 'pending')
    .where('sent_at', 'is not', null)
    .execute()
}

/** Lists of pending actions changed, and the number in the row of the machine. */
export function emitActions(emit: (event: Event) => void, ids: number[], agentId: string): void {
  emit({ type: 'pendingaction.changed', ids, agent_ids: ids.map(() => agentId) })
  emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
}

const DESCRIPTIONS: Record<ActionRow['action_type'], string> = {
  schedreboot: 'Reboot',
  schedshutdown: 'Shutdown',
  schedsignout: 'Sign-out',
  agentupdate: 'Agent update',
}
export function viewAction(row: ActionRow): PendingAction {
  const {
    id,
    action_type,
    status,
    due,
    agent_id,
    hostname,
    client,
    site,
    username,
    entry_time,
    output,
    sent_at,
  } = row
  return {
    id,
    action_type,
    status,
    due,
    description: DESCRIPTIONS[action_type],
    agent_id,
    hostname,
    client,
    site,
    username,
    entry_time,
    details: { output, on_machine: sent_at !== null },
  }
}

export type ActionRow = Selectable<PendingActionsTable> & { hostname: string; client: string; site: string }

/** Maximum number of returned rows. */
const MAX_COUNT = 5000
const EVERYTHING = { scope: { all: true } } as const

function select(db: Db, caller: { scope: Scope }) {
  return db
    .selectFrom('pending_actions')
    .innerJoin('agents', 'agents.agent_id', 'pending_actions.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .selectAll('pending_actions')
    .select(['agents.hostname', 'clients.name as client', 'sites.name as site'])
    .where(visibleTo(caller))
}

/** Pending actions first, by time, then ended ones, newest first. */
export async function findActions(db: Db, caller: { scope: Scope }, agentId?: string): Promise<ActionRow[]> {
  const all = select(db, caller).$if(agentId !== undefined, (query) =>
    query.where('pending_actions.agent_id', '=', agentId ?? ''),
  )
  const pending = await all
    .where('pending_actions.status', '!=', 'completed')
    .orderBy('due')
    .orderBy('pending_actions.id')
    .limit(MAX_COUNT)
    .execute()
  const over = await all
    .where('pending_actions.status', '=', 'completed')
    .orderBy('pending_actions.id', 'desc')
    .limit(MAX_COUNT)
    .execute()
  return [...pending, ...over]
}

export function findAction(
  db: Db,
  id: number,
  caller: { scope: Scope } = EVERYTHING,
): Promise<ActionRow | undefined> {
  return select(db, caller).where('pending_actions.id', '=', id).executeTakeFirst()
}

export async function insertAction(db: Db, values: Insertable<PendingActionsTable>): Promise<number> {
  const { id } = await db
    .insertInto('pending_actions')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Changes a pending action. Returns false if it ended, was cancelled, or is being handled. */
export async function changeAction(
  db: Db,
  id: number,
  values: Updateable<PendingActionsTable>,
  begun: 'not begun' | 'begun',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pending_actions')
    .set(values)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('begun_at', begun === 'begun' ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Deletes planned restarts of a machine, or one pending action, that have not started. Returns them. */
export function deletePending(
  db: Db,
  which: { agentId: string } | { id: number },
): Promise<{ id: number; due: string }[]> {
  return db
    .deleteFrom('pending_actions')
    .where('status', '=', 'pending')
    .where('begun_at', 'is', null)
    .$if('agentId' in which, (query) =>
      query
        .where('agent_id', '=', 'agentId' in which ? which.agentId : '')
        .where('action_type', '=', 'schedreboot'),
    )
    .$if('id' in which, (query) => query.where('id', '=', 'id' in which ? which.id : 0))
    .returning(['id', 'due'])
    .execute()
}

async function deleteActionsBefore(db: Db, before: string): Promise<void> {
  await db
    .deleteFrom('pending_actions')
    .where('status', '=', 'completed')
    .where('finished_at', '<', before)
    .execute()
}

const KEEP_MS = 30 * 86_400_000

/** Ends actions that a machine never reported about, because it was removed or set up again. */
async function endSilent(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('pending_actions')
    .set({
      status: 'completed',
      output: 'The machine has not reported whether it was done.',
      finished_at: now.toISOString(),
    })
    .where('status', '!=', 'completed')
    .where('sent_at', 'is not', null)
    .where('due', '<', new Date(now.getTime() - DAY_MS).toISOString())
    .execute()
}

const DAY_MS = 86_400_000

/** Deletes actions that ended a month ago. The audit log keeps them. */
export function pendingActionsJobs(ctx: Context): Job[] {
  return [
    {
      name: 'pending-actions.forget-over',
      schedule: everyDay('03:55'),
      run: async () => {
        await endSilent(ctx.db, ctx.now())
        await deleteActionsBefore(ctx.db, new Date(ctx.now().getTime() - KEEP_MS).toISOString())
      },
    },
  ]
}
