import {
  createOnCallSchedule,
  deleteOnCallSchedule,
  editOnCallSchedule,
  getOnCallSchedule,
  listOnCallSchedules,
} from '@muster/contract/api/on-call'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { findPeople, findSchedules, type OnCallRow, viewSchedule } from './queries.ts'
import { addSchedule, changeSchedule, findUses, removeSchedule, requireSchedule } from './write-schedule.ts'

export function onCallRoutes(api: Api, ctx: Context): void {
  route(api, listOnCallSchedules, async () => {
    const people = await findPeople(ctx.db)
    const rows = await findSchedules(ctx.db)
    return Promise.all(rows.map((row) => view(row, people)))
  })
  route(api, getOnCallSchedule, async ({ params }) => view(await requireSchedule(ctx.db, params.id)))
  route(api, createOnCallSchedule, async ({ body, caller }) => view(await addSchedule(ctx, caller, body)))
  route(api, editOnCallSchedule, async ({ params: { id }, body: { modified, ...form }, caller }) =>
    view(await changeSchedule(ctx, caller, { id, modified, form })),
  )
  route(api, deleteOnCallSchedule, async ({ params, caller }) => {
    await removeSchedule(ctx, caller, params.id)
    return null
  })

  async function view(row: OnCallRow, known?: Awaited<ReturnType<typeof findPeople>>) {
    const people = known ?? (await findPeople(ctx.db))
    return viewSchedule(row, { people, usedBy: await findUses(ctx.db, row.id), now: ctx.now() })
  }
}
