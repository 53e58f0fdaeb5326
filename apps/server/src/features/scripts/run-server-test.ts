import type { testScriptOnServer } from '@muster/contract/api/scripts'
import type { Output, Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { readCoreSettings, refuseServerScriptsOff } from '../settings/queries.ts'
import { loadSnippets } from './expand-script.ts'
import { fillVariables } from './fill-variables.ts'
import { runOnServer, writtenText } from './run-on-server.ts'

/** Characters of output that one answer holds. */
const MOST_OUTPUT = 200_000

/** Runs code that nobody has saved yet on the server itself, audited before it begins. */
export async function runServerTest(
  ctx: Context,
  caller: Caller,
  test: { body: Parsed<typeof testScriptOnServer>['body']; signal: AbortSignal },
): Promise<Output<typeof testScriptOnServer>> {
  const { code, shell, args: asked, env_vars: variables, timeout } = test.body
  // It can read what the server reads.
  if (!caller.scope.all)
    throw new AppError(
      'not_allowed',
      'A script on the server reaches every client, and your role sees only some of them.',
    )
  refuseServerScriptsOff(await readCoreSettings(ctx.db))
  const target = { agentId: '', hostname: 'the server', shell }
  const { args, env_vars, shown, secrets } = await fillVariables(ctx, ctx.db, target, {
    args: asked,
    env_vars: variables,
  })
  const expand = await loadSnippets(ctx.db)
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
  const call = { interpreter: shell, body: expand(code), args, env_vars, secrets, timeoutSeconds: timeout }
  const run = await runOnServer({ ...call, mostOutput: MOST_OUTPUT }, test.signal)
  return {
    retcode: run.retcode,
    reason: run.reason,
    execution_time: run.executionTime,
    stdout: writtenText(run, 'stdout'),
    stderr: writtenText(run, 'stderr'),
  }
}
