import {
  createScript,
  deleteScript,
  downloadScript,
  editScript,
  getScript,
  listScripts,
} from '@muster/contract/api/scripts'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { addScript } from './add-script.ts'
import { changeScript } from './change-script.ts'
import { downloadName } from './download-name.ts'
import { findScripts } from './queries.ts'
import { removeScript } from './remove-script.ts'
import { requireScript } from './require-script.ts'
import { viewScript, viewScriptDetail } from './view.ts'

export function scriptsRoutes(api: Api, ctx: Context): void {
  route(api, listScripts, async ({ query }) => {
    const show = { community: query.showCommunityScripts ?? true, hidden: query.showHiddenScripts ?? false }
    return (await findScripts(ctx.db, show)).map(viewScript)
  })
  route(api, createScript, async ({ body, caller }) => viewScriptDetail(await addScript(ctx, caller, body)))
  route(api, getScript, async ({ params }) => viewScriptDetail(await requireScript(ctx.db, params.id)))
  route(api, editScript, async ({ params, body: { modified, ...parts }, caller }) =>
    viewScriptDetail(await changeScript(ctx, caller, { id: params.id, modified, parts })),
  )
  route(api, deleteScript, async ({ params, caller }) => {
    await removeScript(ctx, caller, params.id)
    return null
  })
  route(api, downloadScript, async ({ params }) => {
    const row = await requireScript(ctx.db, params.id)
    return { filename: downloadName(row), code: row.script_body }
  })
}
