import { agentStatus } from '@muster/rules/agents/agent-status'
import type { Context } from '../../context.ts'
import type { WebhookFact } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { findSubscribers, publish } from './publish.ts'

/**
 * Publishes machines that have become offline by their own offline time, and those that are connected again. Lost links
 * that come back sooner, as after a restart of the server, are no events.
 */
export async function publishPresence(ctx: Context): Promise<void> {
  if (!(await isPresenceWanted(ctx.db))) {
    await ctx.db.deleteFrom('webhook_offline').execute()
    return
  }
  const at = ctx.now().toISOString()
  const known = new Set(
    (await ctx.db.selectFrom('webhook_offline').select('agent_id').execute()).map(({ agent_id }) => agent_id),
  )
  const offline = (await findOffline(ctx.db, ctx.now())).filter(({ agent_id }) => !known.has(agent_id))
  for (const slice of chunk(offline)) {
    await ctx.transaction(async (tx) => {
      await addOffline(tx, slice, at)
      const facts = slice.map(({ agent_id, last_seen }): WebhookFact => ({
        event: 'machine.offline',
        source: `machine.offline:${agent_id}:${at}`,
        agent_id,
        data: { last_seen },
      }))
      await publish(ctx, tx, facts)
    })
  }
  for (const ids of chunk([...known])) {
    await ctx.transaction(async (tx) => {
      const back = await tx
        .selectFrom('agents')
        .select('agent_id')
        .where('agent_id', 'in', ids)
        .where('connected', '=', 1)
        .execute()
      if (back.length === 0) return
      const agentIds = back.map(({ agent_id }) => agent_id)
      await tx.deleteFrom('webhook_offline').where('agent_id', 'in', agentIds).execute()
      const facts = agentIds.map((agent_id): WebhookFact => ({
        event: 'machine.online',
        source: `machine.online:${agent_id}:${at}`,
        agent_id,
        data: {},
      }))
      await publish(ctx, tx, facts)
    })
  }
}

/** For the first webhook that wants these events: machines that are offline already are no news. */
export async function rememberOffline(tx: Db, now: Date): Promise<void> {
  if (await isPresenceWanted(tx)) return
  for (const slice of chunk(await findOffline(tx, now))) await addOffline(tx, slice, now.toISOString())
}

async function isPresenceWanted(db: Db): Promise<boolean> {
  const webhooks = await findSubscribers(db)
  return webhooks.some(({ events }) => events.has('machine.online') || events.has('machine.offline'))
}

async function findOffline(db: Db, now: Date): Promise<{ agent_id: string; last_seen: string | null }[]> {
  const rows = await db
    .selectFrom('agents')
    .select(['agent_id', 'last_seen', 'offline_time', 'overdue_time'])
    .where('connected', '=', 0)
    .where('last_seen', 'is not', null)
    .execute()
  return rows.filter((row) => agentStatus({ ...row, connected: false }, now.getTime()) !== 'online')
}

async function addOffline(tx: Db, machines: readonly { agent_id: string }[], since: string): Promise<void> {
  await tx
    .insertInto('webhook_offline')
    .values(machines.map(({ agent_id }) => ({ agent_id, since })))
    .onConflict((conflict) => conflict.column('agent_id').doNothing())
    .execute()
}
