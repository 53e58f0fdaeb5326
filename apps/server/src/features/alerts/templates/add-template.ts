import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import type { Context } from '../../../context.ts'
import { refuseTaken } from '../../../platform/database/refuse-taken.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { refuseLimited } from '../../../platform/http/refuse-limited.ts'
import { audit } from '../../audit/write-audit.ts'
import { approveFirstUse } from '../../scripts/server-approval.ts'
import { enqueueApply } from './apply-templates.ts'
import { checkTemplate } from './check-template.ts'
import { insertTemplate, type TemplateRow } from './queries.ts'
import { refuseActions } from './refuse-change.ts'
import { columnsOf, formOf, keepRest, maskRest } from './stored-template.ts'

export function addTemplate(ctx: Context, caller: Caller, sent: AlertTemplateForm): Promise<TemplateRow> {
  refuseLimited(caller, 'Alert templates')
  const form = {
    ...sent,
    action_rest: keepRest(sent.action_rest, null),
    resolved_action_rest: keepRest(sent.resolved_action_rest, null),
  }
  return refuseTaken(takenName(form.name), () =>
    ctx.transaction(async (tx, emit) => {
      const checked = await checkTemplate(tx, form)
      const author_id = await refuseActions(tx, caller, { after: checked })
      const at = ctx.now()
      const row = await insertTemplate(tx, {
        ...columnsOf(checked, ctx.secrets),
        author_id,
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'alerttemplate',
        message: `Added the alert template "${row.name}"`,
        after: formOf(row, maskRest),
        at,
        emit,
      })
      await approveFirstUse({ ctx, tx, emit }, caller, checked)
      await enqueueApply(ctx, tx)
      emit({ type: 'alert_template.changed', ids: [row.id] })
      return row
    }),
  )
}

export function takenName(name: string): { field: string; sentence: string } {
  return { field: 'name', sentence: `There is an alert template named "${name}" already.` }
}
