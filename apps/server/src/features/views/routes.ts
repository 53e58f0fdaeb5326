import { createView, deleteView, editView, listViews } from '@muster/contract/api/views'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findViews, viewView } from './queries.ts'
import { addView, changeView, removeView } from './write-view.ts'

export function viewsRoutes(api: Api, ctx: Context): void {
  route(api, listViews, async ({ caller }) =>
    (await findViews(ctx.db, caller)).map((row) => viewView(caller, row)),
  )
  route(api, createView, ({ body, caller }) => addView(ctx, caller, body))
  route(api, editView, ({ params, body, caller }) => changeView(ctx, caller, { ...body, id: params.id }))
  route(api, deleteView, async ({ params, caller }) => {
    await removeView(ctx, caller, params.id)
    return null
  })
}
