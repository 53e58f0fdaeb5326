import {
  approveScript,
  createScript,
  deleteScript,
  downloadScript,
  editScript,
  generateScript,
  getScript,
  getScriptApproval,
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
import { generateScript as generate } from './generate-script.ts'
import { findScripts, type ScriptRow } from './queries.ts'
import { removeScript } from './remove-script.ts'
import { runServerTest } from './run-server-test.ts'
import { requireScript } from './require-script.ts'
import { approveScriptVersion, findApprovalStates, viewApproval } from './server-approval.ts'
import { findVersions, requireVersion, viewVersion } from './versions.ts'
import { viewOwnDetail, viewScript } from './view.ts'

export function scriptsRoutes(api: Api, ctx: Context): void {
  route(api, listScripts, async ({ query }) => {
    const show = { community: query.showCommunityScripts ?? true, hidden: query.showHiddenScripts ?? false }
    const approvals = await findApprovalStates(ctx.db)
    return (await findScripts(ctx.db, show)).map((row) => viewScript(row, approvals))
  })
  route(api, createScript, async ({ body, caller }) => viewDetail(await addScript(ctx, caller, body)))
  route(api, getScript, async ({ params }) => viewDetail(await requireScript(ctx.db, params.id)))
  route(api, editScript, async ({ params, body: { modified, ...parts }, caller }) =>
    viewDetail(await changeScript(ctx, caller, { id: params.id, modified, parts })),
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
    return viewDetail(await changeScript(ctx, caller, { id, modified, parts: content, done }))
  })
  route(api, getScriptApproval, async ({ params }) => viewApproval(ctx.db, params.id))
  route(api, approveScript, async ({ params: { id }, body: { hash }, caller }) => {
    await approveScriptVersion(ctx, caller, { id, hash })
    return viewApproval(ctx.db, id)
  })
  const stopping = new AbortController()
  api.fastify.addHook('preClose', async () => stopping.abort())
  route(api, testScriptOnServer, async ({ body, caller, request }) => {
    using connected = whileConnected(request.raw)
    return runServerTest(ctx, caller, { body, signal: AbortSignal.any([stopping.signal, connected.signal]) })
  })
  route(api, generateScript, async ({ body, caller, request }) => {
    using connected = whileConnected(request.raw)
    const signal = AbortSignal.any([stopping.signal, connected.signal])
    return generate(ctx, caller, { prompt: body.prompt, signal })
  })

  async function viewDetail(row: ScriptRow) {
    return { ...viewOwnDetail(row), server_approval: (await findApprovalStates(ctx.db)).get(row.id) ?? null }
  }
}
