import type { Context } from '../../../context.ts'
import { AppError } from '@muster/contract/errors'
import type { ToldRow } from '../channels/notice-queries.ts'
import { audit } from '../../audit/write-audit.ts'
import { findApproval, isApproved, readServerVersion } from '../../scripts/server-approval.ts'
import { readCoreSettings } from '../../settings/queries.ts'
import { fillVariables } from '../../scripts/fill-variables.ts'
import { type ActionRow, isOver, lockActions, updateAction } from './action-queries.ts'
import { alertVariables, factsOf } from './alert-facts.ts'
import { type ActionScene, endAction, logAction, MOST_OUTPUT } from './end-action.ts'
import type { Work } from './plan-actions.ts'
import { runOnServer, type ServerCall, writtenText } from '../../scripts/run-on-server.ts'

export type ServerWork = Extract<Work, { type: 'server' }>

/**
 * Notes that a script begins on the server, and answers how to call it; undefined when it cannot be run, which is how
 * the action went. One that has begun before was cut off by the end of its server, and is not begun again.
 */
export async function beginOnServer(
  scene: ActionScene & { ctx: Context },
  action: ActionRow,
  { alert, work }: { alert: ToldRow; work: ServerWork },
): Promise<ServerCall | undefined> {
  const { ctx, tx, emit } = scene
  const refusal =
    action.state === 'running'
      ? 'The server ended while it ran. It is not run a second time.'
      : (await readCoreSettings(tx)).enable_server_scripts
        ? undefined
        : 'Scripts on the server are switched off.'
  const call = refusal ?? (await callOf(scene, alert, work))
  if (typeof call === 'string') {
    await endAction(scene, action, { state: 'failed', retcode: null, executionTime: null, output: call })
    return undefined
  }
  await updateAction(tx, action.id, { state: 'running' })
  await logAction(scene, action, {
    kind: 'action_started',
    text: `runs on the server by the template "${action.template_name}".`,
  })
  await audit(tx, {
    caller: { username: 'server', source: '' },
    action: 'execute_script',
    object_type: 'script',
    message: `Ran the script "${action.name}" on the server for the alert "${alert.message}"`,
    after: { script: work.script, alert: alert.id, args: work.args },
    ...(alert.agent_id === null ? {} : { agent: { agent_id: alert.agent_id } }),
    at: ctx.now(),
    emit,
  })
  return call
}

async function callOf(
  { ctx, tx }: ActionScene & { ctx: Context },
  alert: ToldRow,
  work: ServerWork,
): Promise<ServerCall | string> {
  const script = await tx.selectFrom('scripts').selectAll().where('id', '=', work.script).executeTakeFirst()
  if (script === undefined) return 'There is no such script.'
  const version = await readServerVersion(tx, script)
  const approval = await findApproval(tx, script.id)
  if (!isApproved(version, approval)) return 'Not run: the script changed and waits for approval.'
  const target = {
    agentId: alert.agent_id ?? '',
    hostname: alert.hostname ?? 'the server',
    shell: script.shell,
    author: work.author ?? null,
  }
  const asked = { args: work.args, env_vars: work.env_vars, alert: factsOf(alert) }
  try {
    const { args, env_vars, secrets } = await fillVariables(ctx, tx, target, asked)
    return {
      interpreter: version.shell,
      body: version.code,
      args,
      env_vars: [...env_vars, ...alertVariables(alert)],
      secrets,
      timeoutSeconds: work.timeout,
      mostOutput: MOST_OUTPUT,
    }
  } catch (error) {
    // A variable stands for nothing: that is how it went.
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

/** Runs it, and writes down how it went. */
export async function finishOnServer(
  ctx: Context,
  { action, call }: { action: ActionRow; call: ServerCall },
  signal: AbortSignal,
): Promise<void> {
  const run = await runOnServer(call, signal)
  const { retcode, executionTime, reason } = run
  const output = [reason, writtenText(run)].filter((text) => text !== '').join('\n')
  await ctx.transaction(async (tx, emit) => {
    const now = (await lockActions(tx, action.alert_id)).find(({ id }) => id === action.id)
    if (now === undefined || isOver(now)) return
    const state = retcode === 0 ? 'done' : 'failed'
    await endAction({ ctx, tx, emit }, action, { state, retcode, executionTime, output })
  })
}
