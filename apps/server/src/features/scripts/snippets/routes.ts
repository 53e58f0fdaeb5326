import {
  createSnippet,
  deleteSnippet,
  editSnippet,
  getSnippet,
  listSnippets,
} from '@muster/contract/api/snippets'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { findSnippets, viewSnippet } from './queries.ts'
import { addSnippet, changeSnippet, removeSnippet, requireSnippet } from './write-snippet.ts'

export function snippetsRoutes(api: Api, ctx: Context): void {
  route(api, listSnippets, async () => (await findSnippets(ctx.db)).map(viewSnippet))
  route(api, createSnippet, async ({ body, caller }) => viewSnippet(await addSnippet(ctx, caller, body)))
  route(api, getSnippet, async ({ params }) => viewSnippet(await requireSnippet(ctx.db, params.id)))
  route(api, editSnippet, async ({ params, body, caller }) =>
    viewSnippet(await changeSnippet(ctx, caller, { ...body, id: params.id })),
  )
  route(api, deleteSnippet, async ({ params, caller }) => {
    await removeSnippet(ctx, caller, params.id)
    return null
  })
}
