import type { WebhookEvent } from '@muster/contract/api/webhooks'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { WebhookFact } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'

export const SEND_JOB = 'webhooks.send'
/** Waiting deliveries of one webhook. Further events are counted and dropped. */
export const MAX_WAITING = 20_000

/** Stores a delivery for each webhook that wants one of these events, in the transaction that makes them true. */
export async function publish(
  { jobs, now }: Pick<Context, 'jobs' | 'now'>,
  tx: Db,
  facts: readonly WebhookFact[],
): Promise<void> {
  if (facts.length === 0) return
  const webhooks = await findSubscribers(tx)
  const wanted = facts.filter(({ event }) => webhooks.some(({ events }) => events.has(event)))
  if (wanted.length === 0) return
  const locationOf = await findLocations(tx, wanted)
  const at = now().toISOString()
  for (const { id: webhook_id, events, client_id } of webhooks) {
    const chosen = wanted.filter(
      (fact) =>
        events.has(fact.event) && (client_id === null || isOfClient(fact, locationOf(fact), client_id)),
    )
    if (chosen.length === 0) continue
    const room = Math.max(0, MAX_WAITING - (await countWaiting(tx, webhook_id)))
    const rows = chosen.slice(0, room).map((fact) => {
      const id = randomUUID()
      const { event, source, data } = fact
      const body = JSON.stringify({ id, event, created_at: at, ...locationOf(fact), ...data })
      const times = { due_at: at, created_at: at }
      return { id, webhook_id, event, source, body, state: 'waiting' as const, ...times }
    })
    for (const slice of chunk(rows)) {
      await tx
        .insertInto('webhook_deliveries')
        .values(slice)
        .onConflict((conflict) => conflict.columns(['webhook_id', 'source']).doNothing())
        .execute()
    }
    const dropped = chosen.length - rows.length
    if (dropped > 0) {
      await tx
        .updateTable('webhooks')
        .set((eb) => ({ dropped: eb('dropped', '+', dropped) }))
        .where('id', '=', webhook_id)
        .execute()
    }
    if (rows.length > 0) await jobs.enqueue(SEND_JOB, { webhook_id }, { db: tx })
  }
}

export async function findSubscribers(
  db: Db,
): Promise<{ id: number; client_id: number | null; events: ReadonlySet<WebhookEvent> }[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['id', 'client_id', 'events'])
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
  // Written by write-webhook.ts.
  return rows.map((row) => ({ ...row, events: new Set(JSON.parse(row.events) as WebhookEvent[]) }))
}

interface Location {
  machine: { agent_id: string; hostname: string; platform: string; monitoring_type: string } | null
  site: { id: number; name: string } | null
  client: { id: number; name: string } | null
}

const NOWHERE: Location = { machine: null, site: null, client: null }

/** An event without a client belongs to webhooks of all clients only. */
function isOfClient({ client_ids }: WebhookFact, { client }: Location, clientId: number): boolean {
  if (client !== null) return client.id === clientId
  return client_ids !== undefined && client_ids.length > 0 && client_ids.every((id) => id === clientId)
}

/** The machine, site and client of each fact, as they are now. */
async function findLocations(
  tx: Db,
  facts: readonly WebhookFact[],
): Promise<(fact: WebhookFact) => Location> {
  const machines = new Map<string, Location>()
  const sites = new Map<number, Location>()
  for (const ids of chunk([...new Set(facts.flatMap(({ agent_id }) => agent_id ?? []))])) {
    const rows = await tx
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .select(['agents.agent_id', 'agents.hostname', 'agents.plat', 'agents.monitoring_type'])
      .select([
        'sites.id as site_id',
        'sites.name as site',
        'clients.id as client_id',
        'clients.name as client',
      ])
      .where('agents.agent_id', 'in', ids)
      .execute()
    for (const { agent_id, hostname, plat, monitoring_type, ...row } of rows)
      machines.set(agent_id, {
        machine: { agent_id, hostname, platform: plat, monitoring_type },
        ...nodesOf(row),
      })
  }
  for (const ids of chunk([...new Set(facts.flatMap(({ site_id }) => site_id ?? []))])) {
    const rows = await tx
      .selectFrom('sites')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .select([
        'sites.id as site_id',
        'sites.name as site',
        'clients.id as client_id',
        'clients.name as client',
      ])
      .where('sites.id', 'in', ids)
      .execute()
    for (const row of rows) sites.set(row.site_id, { machine: null, ...nodesOf(row) })
  }
  return ({ agent_id, site_id }) => machines.get(agent_id ?? '') ?? sites.get(site_id ?? 0) ?? NOWHERE
}

function nodesOf(row: { site_id: number; site: string; client_id: number; client: string }) {
  return { site: { id: row.site_id, name: row.site }, client: { id: row.client_id, name: row.client } }
}

async function countWaiting(tx: Db, webhookId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return Number(count)
}
