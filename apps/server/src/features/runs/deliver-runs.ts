import type { CommandInput } from '@muster/contract/agent/commands'
import type { Context } from '../../context.ts'
import { newNonce, signCommand } from '../../platform/agent-link/command-sender.ts'
import type { Delivery } from '../../fleet/handlers.ts'
import { claimQueued, findCancelled, findSent, type HistoryRow, updateHistory } from './queries.ts'
import { readOutputCaps } from './store-run-reports.ts'

const CANCEL_TTL_MS = 5 * 60_000

/**
 * Sends the waiting runs of these machines. A row is marked as sent first, so two senders never send it twice, and
 * returns to the queue if the link is lost. `again`: also runs that were sent before and never accepted, with the same
 * nonce, for machines that have just reconnected; they run each one once.
 */
export async function deliverRuns(
  ctx: Context,
  delivery: Delivery,
  agentIds: string[],
  again: 'waiting only' | 'sent before too',
): Promise<void> {
  const onNewLinks = new Map(agentIds.map((agentId) => [agentId, delivery.sentOnNewLink(agentId)]))
  const capOf = await readOutputCaps(ctx.db, agentIds, ctx.now())
  const sendOnce = (row: HistoryRow) => {
    const sent = onNewLinks.get(row.agent_id)
    if (sent?.has(row.id)) return true
    const isSent = sendRun(ctx, { delivery, capBytes: capOf(row.agent_id) }, row)
    if (isSent) sent?.add(row.id)
    return isSent
  }
  const resent = again === 'sent before too' ? await findSent(ctx.db, agentIds) : []
  const returning = agentIds.filter((agentId) => delivery.isReturning(agentId))
  const claimed = await claimQueued(ctx.db, { agentIds, returning, now: ctx.now() })
  const unsent = claimed.filter((row) => !sendOnce(row))
  for (const row of resent) sendOnce(row)
  for (const row of await findCancelled(ctx.db, agentIds)) sendCancel(ctx, delivery, row)
  for (const row of unsent) await updateHistory(ctx.db, row.id, ['sent'], { state: 'queued', sent_at: null })
  emitChanged(ctx, claimed)
  if (again === 'sent before too') emitPending(ctx, claimed)
}

/** A run is sent within a second of being queued, unless its machine is offline. */
const OVERLOOKED_MS = 10_000
const MAX_OVERLOOKED = 500

/** Connected machines with runs that were queued a while ago, oldest first. */
export async function findOverlooked(ctx: Context): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('agent_history')
    .innerJoin('agents', 'agents.agent_id', 'agent_history.agent_id')
    .select('agent_history.agent_id')
    .where('agent_history.state', '=', 'queued')
    .where('agent_history.time', '<', new Date(ctx.now().getTime() - OVERLOOKED_MS).toISOString())
    .where('agents.connected', '=', 1)
    .orderBy('agent_history.id')
    .limit(MAX_OVERLOOKED)
    .execute()
  return [...new Set(rows.map(({ agent_id }) => agent_id))]
}

/** The machines table counts waiting runs. */
export function emitPending(ctx: Context, rows: Pick<HistoryRow, 'agent_id'>[]): void {
  const ids = [...new Set(rows.map(({ agent_id }) => agent_id))]
  if (ids.length > 0) ctx.emit({ type: 'agent.changed', ids, agent_ids: ids, passing: true })
}

function sendRun(
  ctx: Context,
  { delivery, capBytes }: { delivery: Delivery; capBytes: number },
  row: HistoryRow,
): boolean {
  // Sealed by create-run.ts from the contract's input of this command.
  const input = JSON.parse(ctx.secrets.decrypt(row.command_input)) as CommandInput<HistoryRow['command_name']>
  const command = signCommand(
    delivery.commandKey,
    {
      agentId: row.agent_id,
      name: row.command_name,
      input: { ...input, output_cap_bytes: Math.min(input.output_cap_bytes, capBytes) },
      author: row.username,
      expiresAt: row.expires_at,
      nonce: row.nonce,
      historyId: row.id,
    },
    ctx.now(),
  )
  return delivery.send(row.agent_id, { type: 'command', command })
}

export function emitChanged(ctx: Context, rows: Pick<HistoryRow, 'id' | 'agent_id'>[]): void {
  if (rows.length === 0) return
  ctx.emit({
    type: 'history.changed',
    ids: rows.map(({ id }) => id),
    agent_ids: [...new Set(rows.map(({ agent_id }) => agent_id))],
  })
}

function sendCancel(ctx: Context, delivery: Delivery, row: HistoryRow): void {
  const command = signCommand(
    delivery.commandKey,
    {
      agentId: row.agent_id,
      name: 'cancel',
      input: { history_id: row.id },
      author: row.username,
      expiresAt: new Date(ctx.now().getTime() + CANCEL_TTL_MS).toISOString(),
      nonce: newNonce(),
      historyId: null,
    },
    ctx.now(),
  )
  delivery.send(row.agent_id, { type: 'command', command })
}
