import type { createAlertChannel } from '@muster/contract/api/alert-channels'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, takenName } from '../../../platform/database/change-row.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import type { Db } from '../../../platform/database/database.ts'
import { checkRules, checkSettings } from './check-channel.ts'
import { type ChannelRow, deleteChannelRow, findChannel, insertChannel, updateChannel } from './queries.ts'
import { keepSecrets, openSettings, sealSettings } from './seal-settings.ts'
import { readRules, viewForAudit } from './view.ts'

type ChannelForm = Parsed<typeof createAlertChannel>['body']

export function addChannel(ctx: Context, caller: Caller, form: ChannelForm): Promise<ChannelRow> {
  const settings = keepSecrets(form.settings, undefined)
  checkSettings(settings)
  const taken = takenName('An alert channel', form.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await checkRules(tx, caller, form.rules)
      const at = ctx.now()
      const row = await insertChannel(tx, {
        name: await claimName(tx, { table: 'alert_channels', name: form.name, taken }),
        settings: sealSettings(settings, ctx.secrets),
        rules: JSON.stringify(form.rules),
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'coresettings',
        message: `Added the alert channel "${row.name}"`,
        after: viewForAudit(row),
        at,
        emit,
      })
      emit({ type: 'alert_channel.changed', ids: [row.id] })
      return row
    }),
  )
}

interface ChannelChange {
  id: number
  /** The version loaded by the editor. Absent = overwrite any version. */
  modified: string | undefined
  form: ChannelForm
}

export function changeChannel(ctx: Context, caller: Caller, change: ChannelChange): Promise<ChannelRow> {
  const { id, modified: loaded, form } = change
  const taken = takenName('An alert channel', form.name)
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLockedChannel(tx, caller, id) },
    async ({ tx, emit, before, at, modified }) => {
      const settings = keepSecrets(form.settings, openSettings(before.settings, ctx.secrets))
      checkSettings(settings)
      await checkRules(tx, caller, form.rules, readRules(before).clients)
      const row = await updateChannel(tx, id, {
        name: await claimName(tx, { table: 'alert_channels', name: form.name, taken, before }),
        settings: sealSettings(settings, ctx.secrets),
        rules: JSON.stringify(form.rules),
        modified,
      })
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'coresettings',
        message: `Changed the alert channel "${row.name}"`,
        before: viewForAudit(before),
        after: viewForAudit(row),
        at,
        emit,
      })
      emit({ type: 'alert_channel.changed', ids: [id] })
      return row
    },
  )
}

/** Deletes a channel with its waiting notices, which are not sent. */
export function removeChannel(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedChannel(tx, caller, id)
    await deleteChannelRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'coresettings',
      message: `Deleted the alert channel "${row.name}"`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'alert_channel.changed', ids: [id] })
  })
}

/** Whether the caller sees every client whose alerts the channel receives. */
export function isVisible({ scope }: Pick<Caller, 'scope'>, row: Pick<ChannelRow, 'rules'>): boolean {
  if (scope.all) return true
  const { clients } = readRules(row)
  return clients.length > 0 && clients.every((id) => scope.clientIds.includes(id))
}

/** Returns the channel. Throws `not_found` if it does not exist or the caller does not see all of its clients. */
export async function requireChannel(db: Db, caller: Caller, id: number): Promise<ChannelRow> {
  const channel = await findChannel(db, id)
  if (channel === undefined || !isVisible(caller, channel))
    throw new AppError('not_found', 'This channel does not exist, or you may not see it.')
  return channel
}

/** The row stays locked until the transaction ends. */
async function requireLockedChannel(tx: Db, caller: Caller, id: number): Promise<ChannelRow> {
  await lockRow(tx, 'alert_channels', 'id', id)
  return requireChannel(tx, caller, id)
}
