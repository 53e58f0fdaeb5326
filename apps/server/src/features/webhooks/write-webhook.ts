import type {
  createWebhook,
  editWebhook,
  Webhook,
  WebhookEvent,
  WebhookForm,
} from '@muster/contract/api/webhooks'
import type { Parsed } from '@muster/contract/endpoint'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { InTransaction } from '../../hooks.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import type { WebhooksTable } from '../../platform/database/tables/webhooks.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { newToken } from '../../platform/secrets/secrets.ts'
import { audit } from '../audit/write-audit.ts'
import { requireClient } from '../clients/require-node.ts'
import { rememberOffline } from './find-offline.ts'

type Row = Selectable<WebhooksTable>

export const findWebhooks = (db: Db): Promise<Row[]> =>
  db.selectFrom('webhooks').selectAll().orderBy('name').execute()

export async function requireWebhook(db: Db, id: number): Promise<Row> {
  return requireRow(
    await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst(),
    'webhook',
  )
}

export async function viewWebhooks(db: Db, rows: readonly Row[]): Promise<Webhook[]> {
  const counts = await db
    .selectFrom('webhook_deliveries')
    .select((eb) => ['webhook_id', 'state', eb.fn.countAll<number>().as('count')])
    .where('state', 'in', ['waiting', 'failed'])
    .groupBy(['webhook_id', 'state'])
    .execute()
  const clients = await db.selectFrom('clients').select(['id', 'name']).execute()
  return rows.map((row) => {
    const countOf = (state: 'waiting' | 'failed') =>
      Number(counts.find((one) => one.webhook_id === row.id && one.state === state)?.count ?? 0)
    return {
      ...formOf(row),
      id: row.id,
      client_name: clients.find(({ id }) => id === row.client_id)?.name ?? null,
      waiting: countOf('waiting'),
      failed: countOf('failed'),
      dropped: row.dropped,
      last_delivered: row.last_delivered,
      failing_since: row.failing_since,
      created: row.created_at,
      modified: row.modified,
    }
  })
}

export const viewWebhook = async (db: Db, row: Row): Promise<Webhook> => {
  const [view] = await viewWebhooks(db, [row])
  return requireRow(view, 'webhook')
}

export async function addWebhook(
  ctx: Context,
  caller: Caller,
  { name: wanted, url, events, client = null, enabled = true }: Parsed<typeof createWebhook>['body'],
): Promise<{ row: Row; secret: string }> {
  const secret = newSecret()
  const taken = takenName('A webhook', wanted)
  const row = await refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      if (client !== null) await requireClient(tx, client, caller)
      const name = await claimName(tx, { table: 'webhooks', name: wanted, taken })
      const form = { name, url, events, client, enabled }
      const at = ctx.now()
      await rememberOffline(tx, at)
      const stored = await tx
        .insertInto('webhooks')
        .values({
          ...columnsOf(form),
          secret: ctx.secrets.encrypt(secret),
          created_at: at.toISOString(),
          modified: at.toISOString(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await log({ ctx, tx, emit }, caller, { action: 'add', done: 'Added', after: form }, stored)
      return stored
    }),
  )
  return { row, secret }
}

export function changeWebhook(
  ctx: Context,
  caller: Caller,
  { id, modified: loaded, ...change }: Parsed<typeof editWebhook>['body'] & { id: number },
): Promise<Row> {
  const taken = takenName('A webhook', change.name ?? '')
  return changeRow(
    ctx,
    {
      taken,
      loaded,
      lock: (tx) => requireLocked(tx, id),
    },
    async ({ tx, emit, before, modified, at }) => {
      const old = formOf(before)
      const name = await claimName(tx, { table: 'webhooks', name: change.name ?? before.name, taken, before })
      const { url = old.url, events = old.events, enabled = old.enabled } = change
      const { client = old.client } = change
      const form = { name, url, events, client, enabled }
      if (client !== null && client !== old.client) await requireClient(tx, client, caller)
      await rememberOffline(tx, at)
      const row = await tx
        .updateTable('webhooks')
        .set({ ...columnsOf(form), modified })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await log(
        { ctx, tx, emit },
        caller,
        { action: 'modify', done: 'Changed', before: old, after: form },
        row,
      )
      return row
    },
  )
}

export function removeWebhook(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLocked(tx, id)
    await tx.deleteFrom('webhooks').where('id', '=', id).execute()
    await log({ ctx, tx, emit }, caller, { action: 'delete', done: 'Deleted', before: formOf(row) }, row)
  })
}

export function renewSecret(ctx: Context, caller: Caller, id: number): Promise<string> {
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLocked(tx, id)
    const secret = newSecret()
    await tx
      .updateTable('webhooks')
      .set({ secret: ctx.secrets.encrypt(secret) })
      .where('id', '=', id)
      .execute()
    await log({ ctx, tx, emit }, caller, { action: 'modify', done: 'Replaced the secret of' }, row)
    return secret
  })
}

const newSecret = () => `whsec_${newToken()}`

/** Writes the audit row of a change, and emits it. */
export async function log(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  change: { action: 'add' | 'modify' | 'delete'; done: string; before?: object; after?: object },
  { id, name }: Row,
): Promise<void> {
  const { action, done, before, after } = change
  await audit(tx, {
    caller,
    action,
    object_type: 'webhook',
    message: `${done} the webhook "${name}"`,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    at: ctx.now(),
    emit,
  })
  emit({ type: 'webhook.changed', ids: [id] })
}

export async function requireLocked(tx: Db, id: number): Promise<Row> {
  await lockRow(tx, 'webhooks', 'id', id)
  return requireWebhook(tx, id)
}

function formOf({ name, url, events, client_id, enabled }: Row): WebhookForm {
  // Written by columnsOf.
  return {
    name,
    url,
    events: JSON.parse(events) as WebhookEvent[],
    client: client_id,
    enabled: enabled === 1,
  }
}

function columnsOf({ name, url, events, client, enabled }: WebhookForm) {
  const flag: 0 | 1 = enabled ? 1 : 0
  return { name, url, events: JSON.stringify(events), client_id: client, enabled: flag }
}
