import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'

/** Inserts an on-call schedule and an escalation chain with the first user. */
export async function givenChain(ctx: Context): Promise<{ onCallId: number; chainId: number }> {
  const at = ctx.now().toISOString()
  const times = { created_at: at, modified: at }
  const rotation = {
    time_zone: 'UTC',
    rotates: 'daily',
    starts: '2026-01-01T09:00',
    members: [1],
    overrides: [],
  }
  const steps = [{ after_minutes: 0, users: [1], schedules: [], channels: [] }]
  const onCall = await ctx.db
    .insertInto('on_call_schedules')
    .values({ name: `On call ${randomUUID()}`, settings: JSON.stringify(rotation), ...times })
    .returning('id')
    .executeTakeFirstOrThrow()
  const settings = JSON.stringify({ steps, repeat_minutes: 0, repeat_times: 0, mail_channel: null })
  const chain = await ctx.db
    .insertInto('escalation_chains')
    .values({ name: `Chain ${randomUUID()}`, settings, ...times })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { onCallId: onCall.id, chainId: chain.id }
}
