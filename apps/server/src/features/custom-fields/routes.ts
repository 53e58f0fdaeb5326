import {
  createCustomField,
  deleteCustomField,
  editCustomField,
  getCustomField,
  listCustomFields,
  listModelFields,
} from '@muster/contract/api/custom-fields'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { addField, changeField, removeField, requireField } from './write-field.ts'
import { findFields, viewField } from './queries.ts'

export function customFieldsRoutes(api: Api, ctx: Context): void {
  route(api, listCustomFields, async ({ query }) => (await findFields(ctx.db, query.model)).map(viewField))
  route(api, listModelFields, async ({ body }) => (await findFields(ctx.db, body.model)).map(viewField))
  route(api, getCustomField, async ({ params }) => viewField(await requireField(ctx.db, params.id)))
  route(api, createCustomField, async ({ body, caller }) => viewField(await addField(ctx, caller, body)))
  route(api, editCustomField, async ({ params, body, caller }) =>
    viewField(await changeField(ctx, caller, { ...body, id: params.id })),
  )
  route(api, deleteCustomField, async ({ params, caller }) => {
    await removeField(ctx, caller, params.id)
    return null
  })
}
