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
  type ScriptShell,
  testScriptOnServer,
} from '@muster/contract/api/scripts'
import type { Output, Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route, whileConnected } from '../../platform/http/route.ts'
import type { Db } from '../../platform/database/database.ts'
import { authorOf, type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { readCoreSettings, refuseServerScriptsOff } from '../../platform/config/core-settings.ts'
import { addScript, changeScript, removeScript, requireScript } from './write-script.ts'
import { loadSnippets } from './expand-script.ts'
import { scriptGenerator } from './generate-script.ts'
import { findScripts, type ScriptRow, viewOwnDetail, viewScript } from './queries.ts'
import { approveScriptVersion, findApprovalStates, viewApproval } from './server-approval.ts'
import { findVersions, requireVersion, viewVersion } from './versions.ts'
import { fillVariables } from './fill-variables.ts'
import { runOnServer } from './run-on-server.ts'

export function scriptsRoutes(api: Api, ctx: Context): void {
  const generate = scriptGenerator(ctx)
  route(api, listScripts, async ({ query }) => {
    const show = { community: query.showCommunityScripts ?? true, hidden: query.showHiddenScripts ?? false }
    const approvals = await findApprovalStates(ctx)
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
  route(api, getScriptApproval, async ({ params }) => viewApproval(ctx, params.id))
  route(api, approveScript, async ({ params: { id }, body: { hash }, caller }) => {
    await approveScriptVersion(ctx, caller, { id, hash })
    return viewApproval(ctx, id)
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
    return generate(caller, { prompt: body.prompt, signal })
  })

  async function viewDetail(row: ScriptRow) {
    return { ...viewOwnDetail(row), server_approval: (await findApprovalStates(ctx)).get(row.id) ?? null }
  }
}

const EXTENSIONS: Record<ScriptShell, string> = {
  powershell: '.ps1',
  cmd: '.bat',
  python: '.py',
  shell: '.sh',
  nushell: '.nu',
  deno: '.ts',
  node: '.mjs',
}

/** A file name that is valid on every system: its own one, else its name with the usual extension. */
function downloadName(script: { filename: string; name: string; shell: ScriptShell }): string {
  const own = safeName(script.filename)
  if (own !== '') return own
  return (safeName(script.name) || 'script') + EXTENSIONS[script.shell]
}

/** Removes characters that file systems refuse, path separators, and direction marks. */
function safeName(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, '_')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '')
    .slice(0, 200)
}

/** Maximum characters of output in a response. */
const MAX_OUTPUT = 200_000

/** Runs unsaved code on the server itself, with an audit row before it starts. */
async function runServerTest(
  ctx: Context,
  caller: Caller,
  test: { body: Parsed<typeof testScriptOnServer>['body']; signal: AbortSignal },
): Promise<Output<typeof testScriptOnServer>> {
  const { shell, args: asked, env_vars: variables, timeout } = test.body
  // It can read everything that the server can read.
  refuseLimited(caller, 'Scripts on the server')
  refuseServerScriptsOff(await readCoreSettings(ctx.db))
  const code = await readTestedCode(ctx.db, test.body)
  const target = { agentId: '', hostname: 'the server', shell, author: authorOf(caller) }
  const { args, env_vars, shown, secrets } = await fillVariables(ctx, ctx.db, target, {
    args: asked,
    env_vars: variables,
  })
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'execute_script',
      object_type: 'script',
      message: 'Tested a script on the server',
      after: { shell, args: shown.args, code },
      at: ctx.now(),
      emit,
    }),
  )
  const call = { interpreter: shell, body: code, args, env_vars, secrets, timeoutSeconds: timeout }
  const run = await runOnServer({ ...call, mostOutput: MAX_OUTPUT }, test.signal)
  return {
    retcode: run.retcode,
    reason: run.reason,
    execution_time: run.executionTime,
    stdout: run.stdout,
    stderr: run.stderr,
  }
}

/** The code including snippets. Snippets of other users run only if the caller has read them. */
async function readTestedCode(
  db: Db,
  { code, code_with_snippets: read }: Parsed<typeof testScriptOnServer>['body'],
): Promise<string> {
  const expanded = (await loadSnippets(db))(code)
  if (expanded === (read ?? code)) return expanded
  if (read === undefined)
    throw new AppError('invalid', 'The code includes snippets. Review and send the code that will run.', {
      fields: { code_with_snippets: ['Send the code including its snippets.'] },
    })
  throw new AppError('changed_meanwhile', 'A snippet has changed since you opened the test. Open it again.')
}
