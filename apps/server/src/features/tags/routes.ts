import { createTag, deleteTag, editTag, listTags, type Tag, tagAgents } from '@muster/contract/api/tags'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findTags } from './queries.ts'
import { changeTags } from './set-tags.ts'
import { addTag, changeTag, removeTag } from './write-tag.ts'

export function tagsRoutes(api: Api, ctx: Context): void {
  route(api, listTags, ({ caller }) => findTags(ctx.db, caller))
  route(api, createTag, async ({ body, caller }) => {
    const { id } = await addTag(ctx, caller, body)
    return requireTagView(caller, id)
  })
  route(api, editTag, async ({ params, body, caller }) => {
    await changeTag(ctx, caller, { ...body, id: params.id })
    return requireTagView(caller, params.id)
  })
  route(api, deleteTag, async ({ params, caller }) => {
    await removeTag(ctx, caller, params.id)
    return null
  })
  route(api, tagAgents, ({ body, caller }) => changeTags(ctx, caller, body))

  async function requireTagView(caller: Caller, id: number): Promise<Tag> {
    const tags = await findTags(ctx.db, caller)
    return requireRow(
      tags.find((tag) => tag.id === id),
      'tag',
    )
  }
}
