import {
  createScript,
  deleteScript,
  downloadScript,
  editScript,
  getScript,
  getScriptVersion,
  listScripts,
  listScriptVersions,
  restoreScriptVersion,
  testScriptOnServer,
} from '@muster/contract/api/scripts'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { whileConnected } from '../../platform/http/while-connected.ts'
import { addScript } from './add-script.ts'
import { changeScript } from './change-script.ts'
import { downloadName } from './download-name.ts'
import { loadSnippets } from './expand-script.ts'
import { findScripts } from './queries.ts'
import { removeScript } from './remove-script.ts'
import { runServerTest } from './run-server-test.ts'
import { requireScript } from './require-script.ts'
import { findVersions, requireVersion, viewVersion } from './versions.ts'
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
  route(api, downloadScript, async ({ params, query }) => {
    const row = await requireScript(ctx.db, params.id)
    const expand = query.with_snippets === true ? await loadSnippets(ctx.db) : (body: string) => body
    return { filename: downloadName(row), code: expand(row.script_body) }
  })
  route(api, listScriptVersions, async ({ params }) => {
    const { id } = await requireScript(ctx.db, params.id)
    return findVersions(ctx.db, id)
  })
  route(api, getScriptVersion, async ({ params }) =>
    viewVersion(await requireVersion(ctx.db, params.id, params.version_id)),
  )
  route(api, restoreScriptVersion, async ({ params: { id, version_id }, body: { modified }, caller }) => {
    const { name } = await requireScript(ctx.db, id)
    const { content, saved_at } = viewVersion(await requireVersion(ctx.db, id, version_id))
    const done = `Restored the script "${name}" as it was saved at ${saved_at}`
    return viewScriptDetail(await changeScript(ctx, caller, { id, modified, parts: content, done }))
  })
  const stopping = new AbortController()
  api.fastify.addHook('preClose', async () => stopping.abort())
  route(api, testScriptOnServer, async ({ body, caller, request }) => {
    using connected = whileConnected(request.raw)
    return runServerTest(ctx, caller, { body, signal: AbortSignal.any([stopping.signal, connected.signal]) })
  })
}
