import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'

/** A disabled webhook of a client with a failed delivery, for test-world.ts. */
export async function insertWebhook(ctx: Context, name: string, clientId: number): Promise<number> {
  const now = ctx.now().toISOString()
  const { id } = await ctx.db
    .insertInto('webhooks')
    .values({
      name: `${name} webhook`,
      url: 'http://127.0.0.1:1/',
      events: '["run.finished"]',
      client_id: clientId,
      enabled: 0,
      secret: ctx.secrets.encrypt('secret'),
      created_at: now,
      modified: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('webhook_deliveries')
    .values({
      id: randomUUID(),
      webhook_id: id,
      event: 'run.finished',
      source: 'run.finished:0',
      body: JSON.stringify({ client: name }),
      state: 'failed',
      due_at: now,
      created_at: now,
      ended_at: now,
    })
    .execute()
  return id
}
