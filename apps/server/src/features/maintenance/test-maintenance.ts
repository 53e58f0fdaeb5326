import { createMaintenanceWindow, type MaintenanceTarget } from '@muster/contract/api/maintenance'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Database } from '../../platform/database/database.ts'
import { openTestDatabase } from '../../platform/database/test-engines.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

export const ONCE = {
  starts: '2026-11-22T02:00',
  minutes: 120,
  time_zone: 'Etc/UTC',
  recurs: 'once' as const,
}
export const SUNDAYS = { ...ONCE, recurs: 'weekly' as const, weekdays: [0] }
export const BEFORE = '2026-11-22T01:59:59Z'
export const WITHIN = '2026-11-22T02:00:00Z'
export const AFTER = '2026-11-22T04:00:00Z'

/** A server, one second before the window of most of its tests. */
export async function prepare() {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openTestDatabase<Database>())
  const server = stack.use(await createTestServer({ overrides: { database } }))
  server.clock.freeze(BEFORE)
  const { given } = server
  const site = await given.site({ name: 'Berlin' })
  const other = await given.site({ client_id: site.client_id, name: 'Bern' })
  const agent = await given.agent({ site_id: site.id, hostname: 'pc-1' })
  const far = await given.agent({ site_id: other.id, hostname: 'pc-2' })
  const admin = await given.user({ permissions: PERMISSIONS })
  const call = server.as(admin)
  const resources = stack.move()
  return {
    server,
    given,
    site,
    other,
    agent,
    far,
    call,
    add: async (targets: MaintenanceTarget[], schedule: object = ONCE, reason = 'New disks') => {
      const body = { reason, targets, schedule: { ...ONCE, ...schedule } }
      return (await call.call(createMaintenanceWindow, { body })).body
    },
    /** Sets the clock, and runs the sweep of that second. */
    goTo: async (instant: string) => {
      server.clock.freeze(instant)
      await server.app.maintenance.run()
    },
    mode: (agentId: string) => modeOf(server, agentId),
    /** Another server on the same rows. */
    openSecond: (now: () => Date) =>
      createTestServer({ overrides: { database, now, secrets: server.ctx.secrets } }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Maintenance mode of a machine, and the responsible window. */
export async function modeOf({ ctx }: TestServer, agentId: string) {
  const row = await ctx.db
    .selectFrom('agents')
    .select(['maintenance_mode', 'maintenance_by'])
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return [row.maintenance_mode, row.maintenance_by]
}
