import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { type ChannelRow, findChannel } from './queries.ts'

/** The channel, or `not_found`. */
export async function requireChannel(db: Db, id: number): Promise<ChannelRow> {
  const channel = await findChannel(db, id)
  if (channel === undefined) throw new AppError('not_found', 'This channel does not exist (any more).')
  return channel
}

/** The same, kept from others until the transaction ends. */
export async function requireLockedChannel(tx: Db, id: number): Promise<ChannelRow> {
  await lockRow(tx, 'alert_channels', 'id', id)
  return requireChannel(tx, id)
}
