import type { ChannelRules } from '@muster/contract/api/alert-channels'
import type { EscalationChainForm, EscalationStep } from '@muster/contract/api/escalations'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { findUserCaller } from '../../users/sessions/find-caller.ts'
import type { NotifiedRow } from '../channels/notice-queries.ts'
import { readChannel } from '../channels/plan-notices.ts'
import { type ChannelRow, findChannels } from '../channels/queries.ts'
import { findAlert } from '../list-alerts.ts'
import { findPeople, findSchedules, type Person, readSchedule, whoIsOnCall } from '../on-call/queries.ts'
import { findPushUsers } from '../push/subscriptions.ts'

/** One recipient of a step: a user by each way that reaches them, or a channel. Without a channel nothing is sent, for the reason in `problem`. */
export interface Target {
  /** A user; empty = the recipients of the channel. */
  recipient: string
  /** The on-call schedule that names the user, or empty. */
  schedule: string
  address: string
  channel: ChannelRow | undefined
  problem: string
}

/** The recipients of a step at a moment. A user who is named twice is notified once. */
export async function findTargets(
  ctx: Context,
  tx: Db,
  {
    chain,
    step,
    alert,
    at,
  }: { chain: EscalationChainForm; step: EscalationStep; alert: NotifiedRow; at: Date },
): Promise<Target[]> {
  const people = await findPeople(tx)
  const channels = await findChannels(tx)
  const mail = findMailChannel(channels, chain, alert)
  const push = channels.find(
    (row) => readChannel(row).kind === 'push' && whyNotChannel(row, alert) === undefined,
  )
  const withPush = push === undefined ? new Set<number>() : await findPushUsers(tx)
  const targets: Target[] = []
  const seen = new Set<number>()
  const addUser = async (id: number, schedule: string) => {
    if (seen.has(id)) return
    seen.add(id)
    const person = people.get(id)
    const caller = await findUserCaller({ ...ctx, db: tx }, { user_id: id })
    const refusal = await whyNotUser(tx, { person, caller, alert })
    const recipient = person?.name ?? 'Deleted user'
    const user = { recipient, schedule, problem: '' }
    const hasPush = refusal === undefined && withPush.has(id)
    if (hasPush) targets.push({ ...user, address: pushAddressOf(id), channel: push })
    const problem = refusal ?? whyNotMail(person, mail)
    if (problem === undefined && person !== undefined && 'channel' in mail)
      targets.push({ ...user, address: person.email, channel: mail.channel })
    else if (!hasPush) targets.push({ ...user, address: '', channel: undefined, problem: problem ?? '' })
  }
  for (const id of step.users) await addUser(id, '')
  const schedules = new Map((await findSchedules(tx)).map((row) => [row.id, row]))
  for (const id of step.schedules) {
    const row = schedules.get(id)
    if (row === undefined) continue
    const { user } = whoIsOnCall(readSchedule(row), people, at)
    if (user === null) targets.push(failed(row.name, 'Nobody is on call.'))
    else await addUser(user, row.name)
  }
  for (const id of step.channels) {
    const channel = channels.find((row) => row.id === id)
    if (channel === undefined) targets.push(failed('', 'The channel was deleted.'))
    else {
      const problem = whyNotChannel(channel, alert)
      targets.push({ recipient: '', schedule: '', address: '', channel, problem: problem ?? '' })
    }
  }
  return targets
}

/** Names of the recipients that a step will have at a moment. */
export async function nameTargets(db: Db, step: EscalationStep, at: Date): Promise<string[]> {
  const people = await findPeople(db)
  const schedules = new Map((await findSchedules(db)).map((row) => [row.id, row]))
  const channels = await findChannels(db)
  const names = [
    ...step.users.map((id) => people.get(id)?.name),
    ...step.schedules.map((id) => {
      const row = schedules.get(id)
      if (row === undefined) return undefined
      const { user } = whoIsOnCall(readSchedule(row), people, at)
      return user === null ? `nobody (${row.name})` : `${people.get(user)?.name ?? ''} (${row.name})`
    }),
    ...step.channels.map((id) => channels.find((row) => row.id === id)?.name),
  ]
  return names.filter((name) => name !== undefined)
}

type Mail = { channel: ChannelRow } | { problem: string }

function findMailChannel(
  channels: readonly ChannelRow[],
  { mail_channel }: EscalationChainForm,
  alert: NotifiedRow,
): Mail {
  const mails = channels.filter((row) => readChannel(row).kind === 'email')
  if (mail_channel === null) {
    const channel = mails.find((row) => whyNotChannel(row, alert) === undefined)
    return channel === undefined ? { problem: 'No e-mail channel is enabled. Add one.' } : { channel }
  }
  const channel = mails.find(({ id }) => id === mail_channel)
  if (channel === undefined) return { problem: 'The e-mail channel was deleted.' }
  const problem = whyNotChannel(channel, alert)
  return problem === undefined ? { channel } : { problem }
}

/** A chain overrides severities, types and quiet hours of a channel, but neither its switch nor its clients. */
function whyNotChannel(channel: ChannelRow, { client_id }: NotifiedRow): string | undefined {
  const { enabled, clients }: ChannelRules = readChannel(channel).rules
  if (!enabled) return 'The channel is switched off.'
  if (clients.length > 0 && (client_id === null || !clients.includes(client_id)))
    return 'The channel is for other clients.'
  return undefined
}

/** Users get only alerts that they may see. */
async function whyNotUser(
  tx: Db,
  { person, caller, alert }: { person: Person | undefined; caller: Caller | undefined; alert: NotifiedRow },
): Promise<string | undefined> {
  if (person === undefined) return 'The user was deleted.'
  if (caller === undefined) return 'The user is disabled.'
  if ((await findAlert(tx, caller, alert.id)) === undefined) return 'The user may not see this alert.'
  return undefined
}

function whyNotMail(person: Person | undefined, mail: Mail): string | undefined {
  if (person?.email === '') return 'The user has no e-mail address.'
  return 'problem' in mail ? mail.problem : undefined
}

const pushAddressOf = (userId: number) => `push:${userId}`

/** The user whose browsers an address stands for. */
export function userOfPushAddress(address: string): number {
  return Number(address.slice('push:'.length))
}

function failed(schedule: string, problem: string): Target {
  return { recipient: '', schedule, address: '', channel: undefined, problem }
}
