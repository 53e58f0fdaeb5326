import type { testScriptOnServer } from '@muster/contract/api/scripts'
import type { Output, Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
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
  const { shell, args: asked, env_vars: variables, timeout } = test.body
  // It can read what the server reads.
  refuseLimited(caller, 'Scripts on the server')
  refuseServerScriptsOff(await readCoreSettings(ctx.db))
  const code = await readTestedCode(ctx.db, test.body)
  const target = { agentId: '', hostname: 'the server', shell, author: caller.userId }
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
  const run = await runOnServer({ ...call, mostOutput: MOST_OUTPUT }, test.signal)
  return {
    retcode: run.retcode,
    reason: run.reason,
    execution_time: run.executionTime,
    stdout: writtenText(run, 'stdout'),
    stderr: writtenText(run, 'stderr'),
  }
}

/** The code with its snippets in place. What somebody else has put into a snippet runs only where the caller has read it. */
async function readTestedCode(
  db: Db,
  { code, code_with_snippets: read }: Parsed<typeof testScriptOnServer>['body'],
): Promise<string> {
  const expanded = (await loadSnippets(db))(code)
  if (expanded === (read ?? code)) return expanded
  if (read === undefined)
    throw new AppError('invalid', 'The code includes snippets. Read and send the code that runs.', {
      fields: { code_with_snippets: ['Send the code with its snippets in place.'] },
    })
  throw new AppError('changed_meanwhile', 'A snippet has changed since you opened the test. Open it again.')
}
