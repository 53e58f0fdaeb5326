import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { ChannelRules } from '@muster/contract/api/alert-channels'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { InTransaction } from '../../../hooks.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { refusalOf } from '../../../platform/outbound/resolve-target.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { readChannel } from '../channels/plan-notices.ts'
import { findChannels } from '../channels/queries.ts'
import { sealSettings } from '../channels/seal-settings.ts'
import { pushTargets } from '../channels/senders/push.ts'
import type { BrowserAddress } from './subscriptions.ts'

const MAX_BROWSERS = 20
const CHANNEL_NAME = 'Push notifications'

/** Subscribes the browser of the caller's session. The first one also adds the channel that sends to browsers. */
export async function subscribe(ctx: Context, caller: Caller, address: BrowserAddress): Promise<void> {
  refuseAddress(ctx, address)
  const at = ctx.now()
  const digest = digestOf(address.endpoint)
  const row = {
    user_id: caller.userId,
    session_digest: sessionOf(caller),
    sealed: ctx.secrets.encrypt(JSON.stringify(address)),
    created_at: at.toISOString(),
  }
  await ctx.transaction(async (tx, emit) => {
    const before = await tx
      .selectFrom('push_subscriptions')
      .select('user_id')
      .where('digest', '=', digest)
      .executeTakeFirst()
    await tx
      .deleteFrom('push_subscriptions')
      .where('user_id', '=', caller.userId)
      .where('session_digest', '=', row.session_digest)
      .where('digest', '!=', digest)
      .execute()
    await tx
      .insertInto('push_subscriptions')
      .values({ ...row, digest })
      // Another user signed in to this browser.
      .onConflict((conflict) => conflict.column('digest').doUpdateSet(row))
      .execute()
    await deleteOldest(tx, caller.userId)
    await addPushChannel({ ctx, tx, emit }, caller)
    // The console sends the same subscription again at each sign-in.
    if (before?.user_id !== caller.userId)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'user',
        message: `Added a browser of "${caller.username}" for push notifications`,
        at,
        emit,
      })
  })
}

export async function unsubscribe(ctx: Context, caller: Caller): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const gone = await tx
      .deleteFrom('push_subscriptions')
      .where('user_id', '=', caller.userId)
      .where('session_digest', '=', sessionOf(caller))
      .executeTakeFirst()
    if (Number(gone.numDeletedRows) === 0) return
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'user',
      message: `Removed a browser of "${caller.username}" from push notifications`,
      at: ctx.now(),
      emit,
    })
  })
}

/** Whether any channel sends to browsers. Without one, the first subscription adds it. */
export async function isPushEnabled(db: Db): Promise<boolean> {
  const channels = await findPushChannels(db)
  return channels.length === 0 || channels.some(({ rules }) => rules.enabled)
}

async function findPushChannels(db: Db) {
  return (await findChannels(db)).map(readChannel).filter(({ kind }) => kind === 'push')
}

async function addPushChannel({ ctx, tx, emit }: InTransaction, caller: Caller): Promise<void> {
  if ((await findPushChannels(tx)).length > 0) return
  const at = ctx.now()
  const added = await tx
    .insertInto('alert_channels')
    .values({
      name: CHANNEL_NAME,
      settings: sealSettings({ kind: 'push' }, ctx.secrets),
      rules: JSON.stringify(ChannelRules.parse({})),
      created_at: at.toISOString(),
      modified: at.toISOString(),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst()
  // A channel of another kind has the name, or another user was faster.
  if (added === undefined) return
  await audit(tx, {
    caller,
    action: 'add',
    object_type: 'coresettings',
    message: `Added the alert channel "${CHANNEL_NAME}"`,
    at,
    emit,
  })
  emit({ type: 'alert_channel.changed', ids: [added.id] })
}

async function deleteOldest(tx: Db, userId: number): Promise<void> {
  const rows = await tx
    .selectFrom('push_subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const ids = rows.slice(MAX_BROWSERS).map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('push_subscriptions').where('id', 'in', ids).execute()
}

/** Names are resolved and checked each time that something is sent. */
function refuseAddress({ config }: Context, { endpoint, keys }: BrowserAddress): void {
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/g, '')
  const isPrivate = isIP(host) === 0 ? !host.includes('.') : refusalOf(host, 'public') !== undefined
  if (isPrivate && pushTargets(config) === 'public')
    refuse('endpoint', 'The push address is in a private network. Use a public push service.')
  try {
    ECDH.convertKey(keys.p256dh, 'prime256v1', 'base64url', 'base64url', 'uncompressed')
  } catch {
    refuse('keys.p256dh', 'This is not a public key of a browser.')
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}

function sessionOf({ session }: Caller): string {
  if (session !== undefined) return session.digest
  throw new AppError('not_allowed', 'Push notifications need a session. Sign in with a browser.')
}
