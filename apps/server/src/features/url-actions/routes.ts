import {
  createUrlAction,
  deleteUrlAction,
  editUrlAction,
  listUrlActions,
  runUrlAction,
} from '@muster/contract/api/url-actions'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { openUrlAction } from './run-url-action.ts'
import {
  addUrlAction,
  changeUrlAction,
  findUrlActions,
  removeUrlAction,
  viewUrlAction,
} from './write-url-action.ts'

export function urlActionsRoutes(api: Api, ctx: Context): void {
  route(api, listUrlActions, async () => (await findUrlActions(ctx.db)).map(viewUrlAction))
  route(api, createUrlAction, async ({ body, caller }) =>
    viewUrlAction(await addUrlAction(ctx, caller, body)),
  )
  route(api, editUrlAction, async ({ params, body, caller }) =>
    viewUrlAction(await changeUrlAction(ctx, caller, { ...body, id: params.id })),
  )
  route(api, deleteUrlAction, async ({ params, caller }) => {
    await removeUrlAction(ctx, caller, params.id)
    return null
  })
  route(api, runUrlAction, ({ body, caller }) => openUrlAction(ctx, caller, body))
}
