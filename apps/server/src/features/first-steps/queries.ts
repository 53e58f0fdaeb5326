import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { CHANNEL_TESTED } from '../alerts/channels/queries.ts'

export async function hasTwoMachines(db: Db, caller: Caller): Promise<boolean> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(visibleTo(caller))
    .select('agents.id')
    .limit(2)
    .execute()
  return rows.length === 2
}

export async function hasAssignedPolicy(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('policies')
    .innerJoin('policy_targets', 'policy_targets.policy_id', 'policies.id')
    .where('policies.active', '=', 1)
    .select('policies.id')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A test may come before the channel is saved, so it counts for all channels. */
export async function hasTestedChannel(db: Db): Promise<boolean> {
  const channels = await db.selectFrom('alert_channels').select('last_sent').execute()
  if (channels.length === 0) return false
  if (channels.some(({ last_sent }) => last_sent !== null)) return true
  const tested = await db
    .selectFrom('settings')
    .where('name', '=', CHANNEL_TESTED)
    .select('name')
    .executeTakeFirst()
  return tested !== undefined
}

export async function countUsersToSignIn(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .where('is_active', '=', 1)
    .where('block_dashboard_login', '=', 0)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
