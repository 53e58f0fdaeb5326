import type { CommandInput } from '@muster/contract/agent/commands'
import type { RunAsUser } from '@muster/contract/agent/shells'
import type { Event } from '@muster/contract/events'
import type { IncomingMessage } from 'node:http'
import { AppError } from '@muster/contract/errors'
import { canCancel, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { newNonce } from '../../platform/agent-link/command-sender.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { whileConnected } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { findHistory, findRuns, insertHistory, updateHistory } from './queries.ts'
import { emitPending } from './deliver-runs.ts'

export interface RunRequest {
  agent: AgentWithSite
  caller: Pick<Caller, 'username' | 'source'>
  /** Shown in the history. */
  label: { command: string; shell: string; args: string[]; script?: { id: number; name: string } }
  expiresInSeconds: number
  saveAsNote: boolean
  /** The cause, if no user requested it: `for the alert "Disk is full"`. */
  because?: string
  work:
    | { name: 'run-command'; input: CommandInput<'run-command'> }
    | { name: 'run-script'; input: CommandInput<'run-script'> }
    | { name: 'install-patches'; input: CommandInput<'install-patches'> }
    | { name: 'install-package'; input: CommandInput<'install-package'> }
}

const KINDS = {
  'run-command': { type: 'cmd_run', action: 'execute_command', object_type: 'agent' },
  'run-script': { type: 'script_run', action: 'execute_script', object_type: 'script' },
  'install-patches': { type: 'patch_install', action: 'execute_command', object_type: 'winupdate' },
  'install-package': { type: 'package_install', action: 'execute_command', object_type: 'software' },
} as const

/** Stores a run in the history, with an audit row. The row exists before anything is sent. */
async function createRun(ctx: Context, order: RunRequest) {
  const id = await ctx.transaction((tx, emit) => writeRun({ ctx, tx, emit }, order))
  const [row] = await findRuns(ctx.db, [id])
  if (row === undefined) throw new Error('the new run was not found')
  return row
}

/** Runs within a transaction. Returns the id. */
export async function writeRun(
  { ctx, tx, emit }: { ctx: Context; tx: Db; emit: (event: Event) => void },
  order: RunRequest,
): Promise<number> {
  const { agent, caller, label, work } = order
  const now = ctx.now()
  const { type, action, object_type } = KINDS[work.name]
  const runAsUser = nameUser('run_as_user' in work.input ? work.input.run_as_user : null)
  const historyId = await insertHistory(tx, {
    agent_id: agent.agent_id,
    time: now.toISOString(),
    type,
    state: 'queued',
    reason: null,
    command: label.command,
    script_id: label.script?.id ?? null,
    script_name: label.script?.name ?? null,
    shell: label.shell,
    args: JSON.stringify(label.args),
    username: caller.username,
    run_as_user: runAsUser,
    timeout_seconds: work.input.timeout_seconds,
    expires_at: new Date(now.getTime() + order.expiresInSeconds * 1000).toISOString(),
    command_name: work.name,
    // The environment may contain secrets.
    command_input: ctx.secrets.encrypt(JSON.stringify(work.input)),
    nonce: newNonce(),
    save_as_note: order.saveAsNote ? 1 : 0,
    sent_at: null,
    started_at: null,
    finished_at: null,
    retcode: null,
    execution_time: null,
  })
  await audit(tx, {
    caller,
    action,
    object_type,
    message: describeRun(order),
    after: {
      command: label.command,
      args: label.args,
      run_as_user: runAsUser,
      history: historyId,
    },
    agent,
  })
  emit({ type: 'history.changed', ids: [historyId], agent_ids: [agent.agent_id] })
  return historyId
}

const nameUser = (user: RunAsUser | null) =>
  user === null || typeof user === 'string' ? user : 'signed-in user'

function describeRun({ agent, label, work, because }: RunRequest): string {
  const reason = because === undefined ? '' : ` ${because}`
  switch (work.name) {
    case 'run-script':
      return `Ran the script "${label.command}" on "${agent.hostname}"${reason}`
    case 'run-command':
      return `Sent a ${label.shell} command to "${agent.hostname}"`
    case 'install-patches':
    case 'install-package':
      return `${label.command} on "${agent.hostname}"`
  }
}

/** Added to the time limit of a run before a waiting request is answered without its end. */
const WAIT_MARGIN_MS = 30_000

/**
 * Stores a run, sends it if the machine is connected, and waits for its end if `waitFor` is set and the machine is
 * online. Returns the id of the row.
 */
export async function startRun(
  ctx: Context,
  fleet: Fleet,
  order: RunRequest,
  waitFor: IncomingMessage | undefined,
): Promise<number> {
  const run = await createRun(ctx, order)
  const sent = await fleet.deliver(run.agent_id)
  if (!sent) emitPending(ctx, [run])
  if (!sent || waitFor === undefined) return run.id
  using connected = whileConnected(waitFor)
  await fleet.runs.waitForEnd(run.id, run.timeout_seconds * 1000 + WAIT_MARGIN_MS, connected.signal)
  return run.id
}

/**
 * Cancels a run. A queued one ends at once. Otherwise the machine is asked to stop it, now or on reconnect, and the row
 * becomes `cancelled` when the machine confirms it.
 */
export async function cancelRun(ctx: Context, caller: Caller, id: number): Promise<{ agentId: string }> {
  const row = requireRow(await findHistory(ctx.db, id, caller), 'entry of the history')
  if (isFinal(row.state)) throw new AppError('already_finished', `This run has already ended (${row.state}).`)
  if (!canCancel(row))
    throw new AppError(
      'conflict',
      'An installation that has started cannot be stopped, because it would be left incomplete.',
    )
  await ctx.transaction(async (tx, emit) => {
    const values = {
      state: 'cancelled' as const,
      reason: `Cancelled by ${caller.username} before it was sent.`,
      finished_at: ctx.now().toISOString(),
      command_input: '',
    }
    const ended = await updateHistory(tx, id, ['queued'], values)
    if (!ended) await updateHistory(tx, id, ['sent', 'accepted', 'running'], { cancel_requested: 1 })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'agent',
      message: `Cancelled "${row.command.slice(0, 200)}"`,
      before: { history: id, state: row.state },
      agent: { agent_id: row.agent_id },
      emit,
    })
    if (ended) emit({ type: 'agent.changed', ids: [row.agent_id], agent_ids: [row.agent_id] })
    emit({ type: 'history.changed', ids: [id], agent_ids: [row.agent_id] })
  })
  return { agentId: row.agent_id }
}
