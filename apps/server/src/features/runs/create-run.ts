import type { CommandInput } from '@muster/contract/agent/commands'
import type { Event } from '@muster/contract/events'
import type { IncomingMessage } from 'node:http'
import { AppError } from '@muster/contract/errors'
import { canCancel, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { newNonce } from '../../platform/agent-link/command-sender.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import type { PlacedAgent } from '../agents/queries.ts'
import { whileConnected } from '../../platform/http/while-connected.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { findHistory, findRuns, insertHistory, updateHistory } from './queries.ts'
import { emitPending } from './deliver-runs.ts'

export interface RunOrder {
  agent: PlacedAgent
  caller: Pick<Caller, 'username' | 'source'>
  /** What people see in the history. */
  label: { command: string; shell: string; args: string[]; script?: { id: number; name: string } }
  expiresInSeconds: number
  saveAsNote: boolean
  /** Why it is run, where nobody asked for it: `for the alert "Disk is full"`. */
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

/** Writes a run to the history, audited; the row is there before anything is sent. */
async function createRun(ctx: Context, order: RunOrder) {
  const id = await ctx.transaction((tx, emit) => writeRun({ ctx, tx, emit }, order))
  const [row] = await findRuns(ctx.db, [id])
  if (row === undefined) throw new Error('the run that was just written is gone')
  return row
}

/** The same within a transaction; answers its id. */
export async function writeRun(
  { ctx, tx, emit }: { ctx: Context; tx: Db; emit: (event: Event) => void },
  order: RunOrder,
): Promise<number> {
  const { agent, caller, label, work } = order
  const now = ctx.now()
  const { type, action, object_type } = KINDS[work.name]
  const runAsUser = 'run_as_user' in work.input ? work.input.run_as_user : null
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
    // The environment may hold secrets.
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

function describeRun({ agent, label, work, because }: RunOrder): string {
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

/** What a run may take beyond its own time limit before an answer that waits for it is given without its end. */
const WAIT_MARGIN_MS = 30_000

/**
 * Writes a run, sends it where the machine is connected, and, for a `waitFor` request, waits for its end unless the
 * machine is away. Answers the id of the row.
 */
export async function startRun(
  ctx: Context,
  fleet: Fleet,
  order: RunOrder,
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
 * Cancels a run. One that still waits ends at once; for any other the machine is asked to stop it, now or when it
 * is back, and the row says `cancelled` when the machine has said so.
 */
export async function cancelRun(ctx: Context, caller: Caller, id: number): Promise<{ agentId: string }> {
  const row = await findHistory(ctx.db, id, caller)
  if (row === undefined) throw new AppError('not_found', 'There is no such entry in the history.')
  if (isFinal(row.state)) throw new AppError('already_finished', `This has ended already (${row.state}).`)
  if (!canCancel(row))
    throw new AppError(
      'conflict',
      'An installation that has begun cannot be stopped: it would be left half done.',
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
