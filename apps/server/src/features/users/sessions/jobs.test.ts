import { createSocketTicket } from '@muster/contract/api/system'
import { checkCredentials } from '@muster/contract/api/sessions'
import { savePreferences } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'

test('expired rows are deleted, and others are kept', async () => {
  await using server = await createTestServer()
  const user = await server.given.user()
  const ada = server.as(user)
  ada.headers['idempotency-key'] = 'one'
  await ada.call(savePreferences, { body: { dark_mode: false } })
  await ada.call(createSocketTicket, {})
  await server.anonymous.call(checkCredentials, { body: { username: 'nobody', password: 'x' } })
  const before = await countRows(server)
  expect(before).toEqual({ sessions: 1, socket_tickets: 1, throttles: 2, idempotency_keys: 2 })

  await server.ctx.jobs.drain()
  expect(await countRows(server)).toEqual(before)

  const events: unknown[] = []
  server.ctx.onEvent((event) => void events.push(event))
  server.clock.advance(25 * 3600)
  await server.ctx.jobs.drain()
  expect(await countRows(server)).toEqual({
    sessions: 0,
    socket_tickets: 0,
    throttles: 0,
    idempotency_keys: 0,
  })
  expect(events).toContainEqual({ type: 'session.ended', ids: [user.sessionDigest] })
})

async function countRows({ ctx }: TestServer): Promise<Record<string, number>> {
  const tables = ['sessions', 'socket_tickets', 'throttles', 'idempotency_keys'] as const
  const counts = tables.map(async (table) => [
    table,
    (await ctx.db.selectFrom(table).selectAll().execute()).length,
  ])
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>
}
