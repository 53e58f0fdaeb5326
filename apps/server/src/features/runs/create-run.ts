import type { CommandInput } from '@muster/contract/agent/commands'
import type { RunAsUser } from '@muster/contract/agent/shells'
import type { PackageChange } from '@muster/rules/agents/package-change'
import type { Event } from '@muster/contract/events'
import type { Insertable } from 'kysely'
import type { IncomingMessage } from 'node:http'
import { AppError } from '@muster/contract/errors'
import { showRaw } from '@muster/rules/agents/raw-path'
import { canCancel, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/json-rows.ts'
import type { AgentHistoryTable } from '../../platform/database/tables/history.ts'
import { newNonce } from '../../platform/agent-link/command-sender.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit, auditEach, type AuditInput } from '../audit/write-audit.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { refuseOnServerMachine, requireAgentToAct } from '../agents/refuse-server-machine.ts'
import { whileConnected } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { findHistory, findRuns, insertHistory, updateHistory } from './queries.ts'
import { emitPending } from './deliver-runs.ts'
import { publishEndedIds } from './publish-ended.ts'

type PackageCommand = `${PackageChange}-package`

/** `isSuperuser` is false for runs that no user requested: see refuse-server-machine.ts. */
export type RunCaller = Pick<Caller, 'username' | 'source' | 'isSuperuser'>

export interface RunRequest {
  agent: AgentWithSite
  caller: RunCaller
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
    | { name: PackageCommand; input: CommandInput<PackageCommand> }
    | { name: 'install-file'; input: CommandInput<'install-file'> }
    | { name: 'push-file'; input: CommandInput<'push-file'> }
}

const PACKAGE = { type: 'package_install', action: 'execute_command', object_type: 'software' } as const
const KINDS = {
  'run-command': { type: 'cmd_run', action: 'execute_command', object_type: 'agent' },
  'run-script': { type: 'script_run', action: 'execute_script', object_type: 'script' },
  'install-patches': { type: 'patch_install', action: 'execute_command', object_type: 'winupdate' },
  'install-package': PACKAGE,
  'upgrade-package': PACKAGE,
  'remove-package': PACKAGE,
  'install-file': PACKAGE,
  'push-file': { type: 'file_push', action: 'execute_command', object_type: 'file' },
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
  const historyId = await insertHistory(tx, runRow(ctx, order))
  await audit(tx, auditOf(order, historyId))
  emit({ type: 'history.changed', ids: [historyId], agent_ids: [order.agent.agent_id] })
  return historyId
}

/** Writes the runs of one step of a fleet job, each for another machine. Returns the ids by machine. */
export async function writeJobRuns(
  { ctx, tx, emit }: { ctx: Context; tx: Db; emit: (event: Event) => void },
  jobId: number,
  orders: readonly { order: RunRequest; number: number }[],
): Promise<Map<string, number>> {
  if (orders.length === 0) return new Map()
  const rows = await insertRows(
    tx,
    'agent_history',
    orders.map(({ order, number }) => ({
      ...runRow(ctx, order),
      fleet_job_id: jobId,
      fleet_job_try: number,
    })),
  )
    .returning(['id', 'agent_id'])
    .execute()
  const ids = new Map(rows.map(({ id, agent_id }) => [agent_id, id]))
  await auditEach(
    tx,
    orders.map(({ order }) => ({
      ...auditOf(order, ids.get(order.agent.agent_id) ?? 0),
      site: { id: order.agent.site_id, name: order.agent.site_name },
      client: { id: order.agent.client_id, name: order.agent.client_name },
    })),
    emit,
  )
  emit({ type: 'history.changed', ids: [...ids.values()], agent_ids: [...ids.keys()] })
  return ids
}

function runRow(ctx: Context, order: RunRequest): Insertable<AgentHistoryTable> {
  const { agent, caller, label, work } = order
  refuseOnServerMachine(agent, caller)
  const now = ctx.now()
  return {
    agent_id: agent.agent_id,
    time: now.toISOString(),
    type: KINDS[work.name].type,
    state: 'queued',
    reason: null,
    command: label.command,
    script_id: label.script?.id ?? null,
    script_name: label.script?.name ?? null,
    shell: label.shell,
    args: JSON.stringify(label.args),
    username: caller.username,
    run_as_user: runAsUserOf(order),
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
  }
}

function auditOf(order: RunRequest, historyId: number): AuditInput {
  const { agent, caller, label, work } = order
  const { action, object_type } = KINDS[work.name]
  return {
    caller,
    action,
    object_type,
    message: describeRun(order),
    after: {
      command: label.command,
      args: label.args,
      run_as_user: runAsUserOf(order),
      history: historyId,
    },
    agent,
  }
}

const runAsUserOf = ({ work }: RunRequest) =>
  nameUser('run_as_user' in work.input ? work.input.run_as_user : null)

const nameUser = (user: RunAsUser | null) =>
  user === null || typeof user === 'string' ? user : 'signed-in user'

function describeRun({ agent, label, work, because }: RunRequest): string {
  const reason = because === undefined ? '' : ` ${because}`
  switch (work.name) {
    case 'run-script':
      return `Ran the script "${label.command}" on "${agent.hostname}"${reason}`
    case 'run-command':
      return `Sent a ${label.shell} command to "${agent.hostname}"`
    case 'push-file':
      return `Pushed a file to "${showRaw(work.input.path)}" on "${agent.hostname}"`
    case 'install-patches':
    case 'install-package':
    case 'upgrade-package':
    case 'remove-package':
    case 'install-file':
      // The label is a verb and its object: `Install the package htop`.
      return `Started to ${label.command.charAt(0).toLowerCase()}${label.command.slice(1)} on "${agent.hostname}"`
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
  await requireAgentToAct(ctx.db, row.agent_id, caller)
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
    if (ended) {
      await publishEndedIds(ctx, tx, [id])
      emit({ type: 'agent.changed', ids: [row.agent_id], agent_ids: [row.agent_id] })
    }
    emit({ type: 'history.changed', ids: [id], agent_ids: [row.agent_id] })
  })
  return { agentId: row.agent_id }
}
