import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { laterThan } from '../../../platform/database/later-than.ts'
import { refuseTaken } from '../../../platform/database/refuse-taken.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { type ChannelForm, takenName } from './add-channel.ts'
import { checkRules, checkSettings } from './check-channel.ts'
import { type ChannelRow, updateChannel } from './queries.ts'
import { requireLockedChannel } from './require-channel.ts'
import { keepSecrets, openSettings, sealSettings } from './seal-settings.ts'
import { readRules, viewForAudit } from './view.ts'

export interface ChannelChange {
  id: number
  /** What the editor loaded; absent = save over whatever is there. */
  modified: string | undefined
  form: ChannelForm
}

export function changeChannel(ctx: Context, caller: Caller, change: ChannelChange): Promise<ChannelRow> {
  const { id, modified, form } = change
  return refuseTaken(takenName(form.name), () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedChannel(tx, caller, id)
      if (modified !== undefined && modified !== before.modified) refuseOldSave(before)
      const settings = keepSecrets(form.settings, openSettings(before.settings, ctx.secrets))
      checkSettings(settings)
      await checkRules(tx, caller, form.rules, readRules(before).clients)
      const at = ctx.now()
      const row = await updateChannel(tx, id, {
        name: form.name,
        settings: sealSettings(settings, ctx.secrets),
        rules: JSON.stringify(form.rules),
        modified: laterThan(before.modified, at),
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
    }),
  )
}

function refuseOldSave({ name }: ChannelRow): never {
  throw new AppError(
    'changed_meanwhile',
    `"${name}" was saved by somebody else since you opened it. Load it again before you save.`,
  )
}
