import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { laterThan } from '../../../platform/database/later-than.ts'
import { refuseTaken } from '../../../platform/database/refuse-taken.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { refuseLimited } from '../../../platform/http/refuse-limited.ts'
import { audit } from '../../audit/write-audit.ts'
import { approveFirstUse } from '../../scripts/server-approval.ts'
import { takenName } from './add-template.ts'
import { enqueueApply } from './apply-templates.ts'
import { checkTemplate } from './check-template.ts'
import { type TemplateRow, updateTemplate } from './queries.ts'
import { refuseActions } from './refuse-change.ts'
import { requireLockedTemplate } from './require-template.ts'
import { columnsOf, formOf, keepRest, maskRest, openRest } from './stored-template.ts'

export interface TemplateChange {
  id: number
  /** What the editor loaded; absent = save over whatever is there. */
  modified: string | undefined
  changes: { [Name in keyof AlertTemplateForm]?: AlertTemplateForm[Name] | undefined }
}

export function changeTemplate(ctx: Context, caller: Caller, change: TemplateChange): Promise<TemplateRow> {
  const { id, modified, changes } = change
  refuseLimited(caller, 'Alert templates')
  return refuseTaken(takenName(changes.name ?? ''), () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedTemplate(tx, id)
      if (modified !== undefined && modified !== before.modified) {
        throw new AppError(
          'changed_meanwhile',
          `"${before.name}" was saved by somebody else since you opened it. Load it again before you save.`,
        )
      }
      const old = formOf(before, openRest(ctx.secrets))
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      const sent: AlertTemplateForm = { ...old, ...Object.fromEntries(given) }
      const form = await checkTemplate(tx, {
        ...sent,
        action_rest: keepRest(sent.action_rest, old.action_rest),
        resolved_action_rest: keepRest(sent.resolved_action_rest, old.resolved_action_rest),
      })
      const author_id = await refuseActions(tx, caller, {
        before: { form: old, author: before.author_id },
        after: form,
      })
      const at = ctx.now()
      const row = await updateTemplate(tx, id, {
        ...columnsOf(form, ctx.secrets),
        author_id,
        modified: laterThan(before.modified, at),
      })
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'alerttemplate',
        message: `Changed the alert template "${row.name}"`,
        before: formOf(before, maskRest),
        after: formOf(row, maskRest),
        at,
        emit,
      })
      await approveFirstUse({ ctx, tx, emit }, caller, form)
      await enqueueApply(ctx, tx)
      emit({ type: 'alert_template.changed', ids: [id] })
      return row
    }),
  )
}
