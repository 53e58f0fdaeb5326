import type { Overview, OverviewCauses } from '@muster/contract/api/overview'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { listCauses, listPastSubjects, subjectOf } from '../alerts/list-causes.ts'
import { countMissing } from '../patches/fleet-patches.ts'
import { countFleet } from './count-fleet.ts'
import { readDisks } from './forecast-disks.ts'
import { readSchedule } from './read-schedule.ts'

const SHOWN_CAUSES = 9
const DAY_MS = 86_400_000

/** The state of the machines that the caller sees, of one client or all. Parts that the role does not allow are null. */
export async function readOverview(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  client: number | undefined,
): Promise<Overview> {
  const { db } = ctx
  const rows = await fleet.rows.list(caller, { client })
  return {
    ...countFleet(rows),
    needs_reboot: rows.filter((row) => row.needs_reboot).length,
    causes: mayDo(caller, 'can_list_alerts') ? await readCauses(ctx, caller, client) : null,
    disks: await readDisks(db, rows),
    patches: mayDo(caller, 'can_manage_winupdates')
      ? await countMissing(db, { scope: caller.scope, client })
      : null,
    ...(await readSchedule(ctx, caller, { client, rows })),
  }
}

async function readCauses(ctx: Context, caller: Caller, client: number | undefined): Promise<OverviewCauses> {
  const filter = { snoozedFilter: true, ...(client === undefined ? {} : { clientFilter: [client] }) }
  const causes = await listCauses(ctx, { caller, filter })
  const yesterday = new Date(ctx.now().getTime() - DAY_MS).toISOString()
  const before = await listPastSubjects(ctx, { caller, filter, at: yesterday })
  const subjects = new Set(causes.map(subjectOf))
  return {
    total: causes.length,
    unacknowledged: causes.filter(({ alerts, acknowledged, snoozed }) => acknowledged + snoozed < alerts)
      .length,
    new_since_yesterday: subjects.difference(before).size,
    gone_since_yesterday: before.difference(subjects).size,
    shown: causes.slice(0, SHOWN_CAUSES),
  }
}
