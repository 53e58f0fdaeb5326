import type { Context } from '../context.ts'

const BEAT_MS = 2000
/** A process without a heartbeat for this long is dead, and so are its links. */
const DEAD_AFTER_MS = 7000
const LAST_SEEN_MS = 60_000
const LAST_SEEN_SLICE = 1000

/** Sends a heartbeat to the other processes, and marks the links of dead processes as lost. */
export async function startProcessBeat(ctx: Context, connectedIds: () => string[]): Promise<AsyncDisposable> {
  let running: Promise<void> | undefined
  let lastSeenMs = Date.now()
  await beat(ctx, ctx.config.databaseUrl === undefined)
  const timer = setInterval(() => {
    running ??= tick().finally(() => {
      running = undefined
    })
  }, BEAT_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
      await ctx.db.deleteFrom('processes').where('id', '=', ctx.processId).execute()
      await loseLinks(ctx, [ctx.processId])
    },
  }

  async function tick(): Promise<void> {
    try {
      await beat(ctx, false)
      if (Date.now() - lastSeenMs < LAST_SEEN_MS) return
      lastSeenMs = Date.now()
      await storeLastSeen(ctx, connectedIds())
    } catch (error) {
      ctx.log.error({ err: error }, 'process heartbeat failed')
    }
  }
}

/** `alone`: this process has just started on a database of its own, so every recorded link is dead. */
async function beat(ctx: Context, alone: boolean): Promise<void> {
  const now = ctx.now().toISOString()
  await ctx.db
    .insertInto('processes')
    .values({ id: ctx.processId, started_at: now, beat_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beat_at: now }))
    .execute()
  const limit = new Date(ctx.now().getTime() - DEAD_AFTER_MS).toISOString()
  let query = ctx.db.deleteFrom('processes').where('id', '!=', ctx.processId)
  if (!alone) query = query.where('beat_at', '<', limit)
  const dead = await query.returning('id').execute()
  if (dead.length > 0)
    await loseLinks(
      ctx,
      dead.map(({ id }) => id),
    )
}

async function loseLinks(ctx: Context, processIds: string[]): Promise<void> {
  const now = ctx.now().toISOString()
  const lost = await ctx.db
    .updateTable('agents')
    .set({ connected: 0, link_process: null, link_lost_at: now })
    .where('link_process', 'in', processIds)
    .returning('agent_id')
    .execute()
  const ids = lost.map(({ agent_id }) => agent_id)
  if (ids.length > 0) ctx.emit({ type: 'agent.changed', ids, agent_ids: ids })
}

/** Connected machines count as seen now. The column is updated from time to time in case the server dies. */
async function storeLastSeen(ctx: Context, agentIds: string[]): Promise<void> {
  for (let from = 0; from < agentIds.length; from += LAST_SEEN_SLICE) {
    await ctx.db
      .updateTable('agents')
      .set({ last_seen: ctx.now().toISOString() })
      .where('agent_id', 'in', agentIds.slice(from, from + LAST_SEEN_SLICE))
      .execute()
    // Ten thousand rows at once would block everything else for 160 ms.
    await new Promise(setImmediate)
  }
}
