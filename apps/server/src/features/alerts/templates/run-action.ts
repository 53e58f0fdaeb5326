import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { findNotifiedAlerts, type NotifiedRow } from '../channels/notice-queries.ts'
import type { Message } from '../channels/message.ts'
import { newsOf } from '../channels/prepare-message.ts'
import { openSettings } from '../channels/seal-settings.ts'
import { sendMessage, type SentSettings } from '../channels/send-message.ts'
import { findAgentsWithSite } from '../../agents/queries.ts'
import { scriptOrder } from '../../runs/run-requests.ts'
import { writeRun } from '../../runs/create-run.ts'
import { runOnServer, type ServerCall } from '../../scripts/run-on-server.ts'
import { audit } from '../../audit/write-audit.ts'
import { findApproval, isApproved, readServerVersion } from '../../scripts/server-approval.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import { completeEnvironment } from '../../scripts/complete-environment.ts'
import { fillVariables } from '../../scripts/fill-variables.ts'
import { type ActionRow, findAction, isOver, lockActions, RUN_JOB, updateAction } from './action-queries.ts'
import { type ActionContext, describeOutput, endAction, logAction, MAX_OUTPUT } from './end-action.ts'
import type { Work } from './plan-actions.ts'

/** Sends the waiting runs of a machine; see Fleet. */
export interface Deliverer {
  deliver: (agentId: string) => Promise<boolean>
}

const SERVER = { username: 'server', source: '', isSuperuser: false }
/** A machine that is offline for longer does not run the script: too much may have changed. */
const EXPIRES_SECONDS = 15 * 60
const SECOND_MS = 1000
const RETRY_MS = [10 * SECOND_MS, 60 * SECOND_MS, 300 * SECOND_MS]

type Next =
  | { kind: 'deliver'; agentId: string }
  | { kind: 'send'; action: ActionRow; alert: NotifiedRow; settings: string }
  | { kind: 'run'; action: ActionRow; call: ServerCall }

/**
 * Runs an action. A script becomes a run of its machine in the transaction that records its start, so it starts once. A
 * webhook of a crashed process is sent again under the same id.
 */
export async function runAction(
  ctx: Context,
  fleet: Deliverer,
  { id, signal }: { id: number; signal: AbortSignal },
): Promise<void> {
  const next = await ctx.transaction((tx, emit) => begin({ ctx, tx, emit }, id))
  if (next?.kind === 'deliver') await fleet.deliver(next.agentId)
  if (next?.kind === 'send') await send(ctx, next)
  if (next?.kind === 'run') await finishOnServer(ctx, next, signal)
}

type TxContext = ActionContext & { ctx: Context }

async function begin(txContext: TxContext, id: number): Promise<Next | undefined> {
  const { tx } = txContext
  const found = await findAction(tx, id)
  if (found === undefined) return undefined
  const all = await lockActions(tx, found.alert_id)
  const action = all.find((one) => one.id === id)
  const [alert] = await findNotifiedAlerts(tx, [found.alert_id])
  if (action === undefined || alert === undefined || isOver(action)) return undefined
  if (action.history_id !== null) return { kind: 'deliver', agentId: alert.agent_id ?? '' }
  // Written by workOf.
  const work = JSON.parse(action.work) as Work
  if (work.type === 'script') return beginScript(txContext, action, { alert, work })
  if (work.type === 'server') {
    const call = await beginOnServer(txContext, action, { alert, work })
    return call && { kind: 'run', action, call }
  }
  if (action.state === 'waiting') {
    await updateAction(tx, id, { state: 'running' })
    await logAction(txContext, action, {
      kind: 'action_started',
      text: `sent by the template "${action.template_name}".`,
    })
  }
  return { kind: 'send', action, alert, settings: work.settings }
}

async function beginScript(
  txContext: TxContext,
  action: ActionRow,
  { alert, work }: { alert: NotifiedRow; work: Extract<Work, { type: 'script' }> },
): Promise<Next | undefined> {
  const { ctx, tx, emit } = txContext
  const fail = (output: string) =>
    endAction(txContext, action, { state: 'failed', retcode: null, executionTime: null, output })
  const [agent] = alert.agent_id === null ? [] : await findAgentsWithSite(tx, [alert.agent_id])
  if (agent === undefined) {
    await fail('The alert has no machine to run the script on.')
    return undefined
  }
  try {
    const body = {
      script: work.script,
      args: work.args,
      env_vars: work.env_vars,
      timeout: work.timeout,
      run_as_user: work.run_as_user,
      expires_in: EXPIRES_SECONDS,
      output: 'forget' as const,
      wait: false,
    }
    const order = await scriptOrder(
      { db: tx, secrets: ctx.secrets },
      agent,
      { ...SERVER, userId: work.author ?? null },
      {
        ...body,
        known: { alert: factsOf(alert), env_vars: alertVariables(alert) },
      },
    )
    const because = `for the alert "${alert.message}"`
    const history_id = await writeRun({ ctx, tx, emit }, { ...order, because })
    await updateAction(tx, action.id, { state: 'running', history_id })
  } catch (error) {
    // The script was deleted or does not support this machine: this is the outcome.
    if (!(error instanceof AppError)) throw error
    await fail(error.message)
    return undefined
  }
  const where = `sent to ${agent.hostname} by the template "${action.template_name}"`
  const text = agent.connected === 1 ? `${where}.` : `${where}; waits up to 15 minutes for the machine.`
  await logAction(txContext, action, { kind: 'action_started', text })
  return { kind: 'deliver', agentId: agent.agent_id }
}

async function send(
  ctx: Context,
  { action, alert, settings }: Extract<Next, { kind: 'send' }>,
): Promise<void> {
  const startedMs = performance.now()
  const message: Message = {
    delivery: `action-${ctx.secrets.keyId}-${action.id}`,
    installation: ctx.secrets.keyId,
    at: ctx.now(),
    timeZone: 'UTC',
    consoleUrl: ctx.config.publicUrl,
    links: [],
    news: [newsOf({ kind: action.kind === 'failure' ? 'opened' : 'resolved' }, alert)],
  }
  // Templates have webhooks only.
  const webhook = openSettings(settings, ctx.secrets) as SentSettings
  const outcome = await sendMessage(webhook, message, ctx.config.channelTargets)
  const executionTime = (performance.now() - startedMs) / SECOND_MS
  await ctx.transaction(async (tx, emit) => {
    const txContext = { ctx, tx, emit }
    const now = (await lockActions(tx, action.alert_id)).find(({ id }) => id === action.id)
    if (now === undefined || isOver(now)) return
    const waitMs = RETRY_MS[now.attempts]
    // A request that may have arrived is not sent again.
    if (!outcome.ok && outcome.unsure !== true && waitMs !== undefined) {
      const attempts = now.attempts + 1
      await updateAction(tx, action.id, { attempts, output: outcome.answer })
      const dueAt = new Date(ctx.now().getTime() + waitMs)
      const job = { id: `alert-action:${action.id}:${attempts}`, dueAt, db: tx }
      await ctx.jobs.enqueue(RUN_JOB, { id: action.id }, job)
      return
    }
    const [status] = /^\d{3}/.exec(outcome.answer) ?? []
    const retcode = status === undefined ? null : Number(status)
    const state = outcome.ok ? 'done' : 'failed'
    await endAction(txContext, action, { state, retcode, executionTime, output: outcome.answer })
  })
}

type ServerWork = Extract<Work, { type: 'server' }>

/**
 * Records the start of a script on the server and returns how to call it, or undefined if it cannot run, which is then
 * the outcome. A script that was cut off by a crash is not started again.
 */
async function beginOnServer(
  txContext: ActionContext & { ctx: Context },
  action: ActionRow,
  { alert, work }: { alert: NotifiedRow; work: ServerWork },
): Promise<ServerCall | undefined> {
  const { ctx, tx, emit } = txContext
  const refusal =
    action.state === 'running'
      ? 'The server stopped while the script ran. It is not run again.'
      : (await readCoreSettings(tx)).enable_server_scripts
        ? undefined
        : 'Scripts on the server are switched off.'
  const call = refusal ?? (await callOf(txContext, alert, work))
  if (typeof call === 'string') {
    await endAction(txContext, action, { state: 'failed', retcode: null, executionTime: null, output: call })
    return undefined
  }
  await updateAction(tx, action.id, { state: 'running' })
  await logAction(txContext, action, {
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
  { ctx, tx }: ActionContext & { ctx: Context },
  alert: NotifiedRow,
  work: ServerWork,
): Promise<ServerCall | string> {
  const script = await tx.selectFrom('scripts').selectAll().where('id', '=', work.script).executeTakeFirst()
  if (script === undefined) return 'This script does not exist.'
  const version = await readServerVersion(tx, script)
  const approval = await findApproval(tx, script.id)
  if (!isApproved(version, approval)) return 'Not run: the script changed and waits for approval.'
  const target = {
    agentId: alert.agent_id ?? '',
    hostname: alert.hostname ?? 'the server',
    shell: script.shell,
    author: work.author ?? null,
  }
  try {
    const complete = completeEnvironment(script, work.env_vars)
    const asked = { args: work.args, env_vars: complete, alert: factsOf(alert) }
    const { args, env_vars, secrets } = await fillVariables(ctx, tx, target, asked)
    return {
      interpreter: version.shell,
      body: version.code,
      args,
      env_vars: [...env_vars, ...alertVariables(alert)],
      secrets,
      timeoutSeconds: work.timeout,
      mostOutput: MAX_OUTPUT,
    }
  } catch (error) {
    // A variable or a parameter has no value: this is the outcome.
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

/** Runs the script and records the outcome. */
async function finishOnServer(
  ctx: Context,
  { action, call }: { action: ActionRow; call: ServerCall },
  signal: AbortSignal,
): Promise<void> {
  const run = await runOnServer(call, signal)
  const { retcode, executionTime } = run
  const output = describeOutput(run.reason, run)
  await ctx.transaction(async (tx, emit) => {
    const now = (await lockActions(tx, action.alert_id)).find(({ id }) => id === action.id)
    if (now === undefined || isOver(now)) return
    const state = retcode === 0 ? 'done' : 'failed'
    await endAction({ ctx, tx, emit }, action, { state, retcode, executionTime, output })
  })
}

/** Details of the alert for a script: values, never parts of a command line. */
function factsOf(alert: NotifiedRow): Record<string, string> {
  return {
    id: `${alert.id}`,
    type: alert.alert_type,
    state: alert.state,
    severity: alert.severity,
    time: alert.alert_time,
    message: alert.message.replaceAll('\0', ''),
  }
}

/** As KEY=VALUE. */
function alertVariables(alert: NotifiedRow): string[] {
  return Object.entries(factsOf(alert)).map(([name, value]) => `MUSTER_ALERT_${name.toUpperCase()}=${value}`)
}
