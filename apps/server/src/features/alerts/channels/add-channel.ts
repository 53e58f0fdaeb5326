import type { createAlertChannel } from '@muster/contract/api/alert-channels'
import type { Parsed } from '@muster/contract/endpoint'
import type { Context } from '../../../context.ts'
import { refuseTaken } from '../../../platform/database/refuse-taken.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { checkRules, checkSettings } from './check-channel.ts'
import { type ChannelRow, insertChannel } from './queries.ts'
import { keepSecrets, sealSettings } from './seal-settings.ts'
import { viewForAudit } from './view.ts'

export type ChannelForm = Parsed<typeof createAlertChannel>['body']

export function addChannel(ctx: Context, caller: Caller, form: ChannelForm): Promise<ChannelRow> {
  const settings = keepSecrets(form.settings, undefined)
  checkSettings(settings)
  return refuseTaken(takenName(form.name), () =>
    ctx.transaction(async (tx, emit) => {
      await checkRules(tx, caller, form.rules)
      const at = ctx.now()
      const row = await insertChannel(tx, {
        name: form.name,
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

export function takenName(name: string): { field: string; sentence: string } {
  return { field: 'name', sentence: `There is an alert channel named "${name}" already.` }
}
