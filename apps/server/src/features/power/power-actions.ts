import { randomUUID } from 'node:crypto'
import { MAX_WAKE_ADDRESSES } from '@muster/contract/agent/facts'
import type { PowerAction } from '@muster/contract/agent/power'
import { PowerWarning } from '@muster/contract/api/power'
import { AppError } from '@muster/contract/errors'
import type { PendingAction } from '@muster/contract/api/pending-actions'
import { instantOf, isMachineZone } from '@muster/rules/schedules/zone-time'
import type { Context } from '../../context.ts'
import { audit, failedTo } from '../audit/write-audit.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Db } from '../../platform/database/database.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { zoneOf } from '../tasks/run-queries.ts'
import type { AgentRequest } from '../agents/request-agent.ts'
import { cancelAction } from './pending-actions/cancel-action.ts'
import {
  deletePending,
  emitActions,
  findAction,
  findSentReboots,
  insertAction,
  viewAction,
} from './pending-actions/pending-actions.ts'
import { cardsOf, findNeighbours } from './queries.ts'

export const DONE: Record<PowerAction, string> = {
  reboot: 'Restarted the machine',
  shutdown: 'Shut down the machine',
  sign_out: 'Signed out the user of the machine',
  lock: 'Locked the screen of the machine',
}

export interface Order {
  fleet: Fleet
  caller: Pick<Caller, 'username' | 'source'>
  agent: { agent_id: string; hostname: string }
}

/**
 * Changes the power or the session of a machine at once, with an audit row. A machine that goes offline before it responds has most likely
 * done it; an offline or refusing one is an error.
 */
export async function changePower(
  ctx: Context,
  { fleet, caller, agent }: Order,
  action: PowerAction,
): Promise<{ answered: boolean }> {
  const write = (message: string, problem?: string) =>
    ctx.transaction(async (tx, emit) => {
      const after = { action, ...(problem === undefined ? {} : { problem }) }
      await audit(tx, { caller, action: 'modify', object_type: 'agent', message, after, agent, emit })
    })
  try {
    await fleet.ask(agent, 'change-power', { input: { action }, author: caller.username })
  } catch (error) {
    // Nothing was sent to an offline machine.
    if (!(error instanceof AppError) || error.code === 'agent_offline') throw error
    if (error.code !== 'unavailable') {
      await write(failedTo(DONE[action]), error.message)
      throw error
    }
    await write(`${DONE[action]} (without a response)`)
    return { answered: false }
  }
  await write(DONE[action])
  return { answered: true }
}

export const REBOOT_JOB = 'power.reboot-when-due'

const MAX_MS = 366 * 86_400_000

/** Plans a restart of a machine, which replaces an earlier plan, also one on the machine. A job runs it. */
export async function planMachineReboot(
  ctx: Context,
  { fleet, caller }: { fleet: Fleet; caller: Caller },
  { agentId, datetime, ...warning }: { agentId: string; datetime: string } & PowerWarning,
): Promise<PendingAction> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const dueAt = new Date(await readTime(ctx.db, agent, datetime))
  const now = ctx.now()
  if (dueAt <= now) refuseTime('This time is over. Choose a later one.')
  if (dueAt.getTime() > now.getTime() + MAX_MS) refuseTime('Choose a time within a year.')
  const { agent_id } = agent
  for (const { id } of await findSentReboots(ctx.db, agent_id)) await cancelAction(ctx, { fleet, caller, id })
  return ctx.transaction(async (tx, emit) => {
    const before = await deletePending(tx, { agentId: agent_id })
    const due = dueAt.toISOString()
    const id = await insertAction(tx, {
      agent_id,
      action_type: 'schedreboot',
      status: 'pending',
      due,
      username: caller.username,
      entry_time: now.toISOString(),
      output: '',
      plan: randomUUID(),
      warning: JSON.stringify(warning),
    })
    await ctx.jobs.enqueue(REBOOT_JOB, { id }, { dueAt: warnAt(dueAt, warning), db: tx })
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'agent',
      message: `Planned a restart of the machine for ${due}`,
      ...(before[0] === undefined ? {} : { before: { due: before[0].due } }),
      after: { id, due, ...warning },
      agent,
      emit,
    })
    emitActions(emit, [...before.map((one) => one.id), id], agent_id)
    const planned = await findAction(tx, id)
    if (planned === undefined) throw new Error('the planned restart was not found')
    return viewAction(planned)
  })
}

/** The machine is asked when its user is to be warned, and waits for the time itself. */
const warnAt = (dueAt: Date, { delay_minutes }: PowerWarning) =>
  new Date(dueAt.getTime() - delay_minutes * 60_000)

async function readTime(
  db: Db,
  { agent_id, hostname }: { agent_id: string; hostname: string },
  text: string,
): Promise<number> {
  const isInstant = /(Z|[+-]\d{2}:\d{2})$/.test(text)
  const atMs = Date.parse(isInstant ? text : `${text}Z`)
  if (Number.isNaN(atMs)) refuseTime('This date or time does not exist.')
  if (isInstant) return atMs
  const zone = await zoneOf(db, agent_id)
  if (!isMachineZone(zone))
    refuseTime(`The time zone of ${hostname} is unknown. Add an offset to the time, for example 18:35Z.`)
  return instantOf(zone, atMs)
}

function refuseTime(sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { datetime: [sentence] } })
}

/** A packet is easily lost, and not every machine of a site is on the same network. */
const SENDERS = 3

/** Asks connected machines of the same site to send the wake-up packet. Returns their names. */
export async function wakeMachine(
  ctx: Context,
  { fleet, caller, agentId }: AgentRequest,
): Promise<{ sent_by: string[] }> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const { hostname, site_name } = agent
  if (agent.connected === 1)
    throw new AppError('conflict', `${hostname} is connected, so it is already awake.`)
  const macs = cardsOf(agent.facts).slice(0, MAX_WAKE_ADDRESSES)
  if (macs.length === 0)
    throw new AppError('conflict', `The network cards of ${hostname} are unknown, so it cannot be woken.`)
  const neighbours = (await findNeighbours(ctx.db, agent)).slice(0, SENDERS)
  if (neighbours.length === 0)
    throw new AppError(
      'agent_offline',
      `No other machine of the site "${site_name}" is connected to wake ${hostname}. Connect one first.`,
    )
  const order = { input: { macs }, author: caller.username }
  const asked = await Promise.allSettled(
    neighbours.map((neighbour) => fleet.ask(neighbour, 'send-wake-up', order)),
  )
  const sent_by = neighbours.flatMap((one, i) => (asked[i]?.status === 'fulfilled' ? [one.hostname] : []))
  await ctx.transaction(async (tx, emit) => {
    const message =
      sent_by.length === 0
        ? 'Failed to send a wake-up packet'
        : `Sent a wake-up packet by ${sent_by.map((name) => `"${name}"`).join(', ')}`
    const after = { macs, sent_by }
    await audit(tx, { caller, action: 'modify', object_type: 'agent', message, after, agent, emit })
  })
  const refused = asked.find((outcome) => outcome.status === 'rejected')
  if (sent_by.length === 0 && refused !== undefined) throw refused.reason
  return { sent_by }
}
