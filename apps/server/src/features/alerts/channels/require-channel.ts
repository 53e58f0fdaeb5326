import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import { lockRow } from '../../../platform/database/lock-row.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { type ChannelRow, findChannel } from './queries.ts'
import { readRules } from './view.ts'

/** Whether the caller sees every client whose alerts the channel receives. */
export function isVisible({ scope }: Pick<Caller, 'scope'>, row: Pick<ChannelRow, 'rules'>): boolean {
  if (scope.all) return true
  const { clients } = readRules(row)
  return clients.length > 0 && clients.every((id) => scope.clientIds.includes(id))
}

/** The channel, or `not_found`, also where the caller does not see all clients of it. */
export async function requireChannel(db: Db, caller: Caller, id: number): Promise<ChannelRow> {
  const channel = await findChannel(db, id)
  if (channel === undefined || !isVisible(caller, channel))
    throw new AppError('not_found', 'This channel does not exist, or you may not see it.')
  return channel
}

/** The same with the row locked until the transaction ends. */
export async function requireLockedChannel(tx: Db, caller: Caller, id: number): Promise<ChannelRow> {
  await lockRow(tx, 'alert_channels', 'id', id)
  return requireChannel(tx, caller, id)
}
