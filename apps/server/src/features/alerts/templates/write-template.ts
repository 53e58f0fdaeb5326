import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import {
  changeRow,
  lockRow,
  refuseTaken,
  requireRow,
  takenName,
} from '../../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { completeEnvironment } from '../../scripts/complete-environment.ts'
import { approveFirstUse } from '../../scripts/server-approval.ts'
import type { Db } from '../../../platform/database/database.ts'
import { checkSettings } from '../channels/check-channel.ts'
import { findChain } from '../escalations/queries.ts'
import { enqueueApply } from './apply-templates.ts'
import {
  ASSIGNED_TO,
  deleteTemplateRow,
  findDefault,
  findTemplate,
  insertTemplate,
  storeDefault,
  type TemplateRow,
  updateTemplate,
} from './queries.ts'
import { refuseActions } from './refuse-change.ts'
import { columnsOf, formOf, keepRest, maskRest, openRest } from './stored-template.ts'

export function addTemplate(ctx: Context, caller: Caller, sent: AlertTemplateForm): Promise<TemplateRow> {
  refuseLimited(caller, 'Alert templates')
  const kept = {
    ...sent,
    action_rest: keepRest(sent.action_rest, null),
    resolved_action_rest: keepRest(sent.resolved_action_rest, null),
  }
  const taken = takenName('An alert template', sent.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const name = await claimName(tx, { table: 'alert_templates', name: sent.name, taken })
      const checked = await checkTemplate(tx, { ...kept, name })
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

interface TemplateChange {
  id: number
  /** The version loaded by the editor. Absent = overwrite any version. */
  modified: string | undefined
  changes: { [Name in keyof AlertTemplateForm]?: AlertTemplateForm[Name] | undefined }
}

export function changeTemplate(ctx: Context, caller: Caller, change: TemplateChange): Promise<TemplateRow> {
  const { id, modified: loaded, changes } = change
  refuseLimited(caller, 'Alert templates')
  const taken = takenName('An alert template', changes.name ?? '')
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLockedTemplate(tx, id) },
    async ({ tx, emit, before, at, modified }) => {
      const old = formOf(before, openRest(ctx.secrets))
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      const sent: AlertTemplateForm = { ...old, ...Object.fromEntries(given) }
      const name = await claimName(tx, { table: 'alert_templates', name: sent.name, taken, before })
      const form = await checkTemplate(
        tx,
        {
          ...sent,
          name,
          action_rest: keepRest(sent.action_rest, old.action_rest),
          resolved_action_rest: keepRest(sent.resolved_action_rest, old.resolved_action_rest),
        },
        old,
      )
      const author_id = await refuseActions(tx, caller, {
        before: { form: old, author: before.author_id },
        after: form,
      })
      const row = await updateTemplate(tx, id, {
        ...columnsOf(form, ctx.secrets),
        author_id,
        modified,
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
    },
  )
}

/** Deletes a template and clears its assignments. Started actions continue. */
export function removeTemplate(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Alert templates')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedTemplate(tx, id)
    for (const table of ASSIGNED_TO) {
      await tx
        .updateTable(table)
        .set({ alert_template_id: null })
        .where('alert_template_id', '=', id)
        .execute()
    }
    if ((await findDefault(tx)) === id) await storeDefault(tx, null)
    await deleteTemplateRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'alerttemplate',
      message: `Deleted the alert template "${row.name}"`,
      before: formOf(row, maskRest),
      at: ctx.now(),
      emit,
    })
    await enqueueApply(ctx, tx)
    emit({ type: 'alert_template.changed', ids: [id] })
    emit({ type: 'client.changed', ids: [] })
  })
}

/** Throws `not_found` if it does not exist. */
export async function requireTemplate(db: Db, id: number): Promise<TemplateRow> {
  return requireRow(await findTemplate(db, id), 'alert template')
}

/** The row stays locked until the transaction ends. */
async function requireLockedTemplate(tx: Db, id: number): Promise<TemplateRow> {
  await lockRow(tx, 'alert_templates', 'id', id)
  return requireTemplate(tx, id)
}

/** Refuses an unknown template at the field that names it. Its row stays locked until the end. */
export async function requireAssignable(tx: Db, id: number | null, field: string): Promise<string> {
  if (id === null) return 'none'
  await lockRow(tx, 'alert_templates', 'id', id)
  const row = await findTemplate(tx, id)
  if (row !== undefined) return row.name
  const sentence = 'This alert template does not exist.'
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}

const KINDS = ['action', 'resolved_action'] as const

/**
 * Refuses impossible actions at their field, drops disabled ones, and completes the parameters of their scripts. Those of
 * `before` that are unchanged stay as they are, even if their script has changed since.
 */
async function checkTemplate(
  db: Db,
  form: AlertTemplateForm,
  before?: AlertTemplateForm,
): Promise<AlertTemplateForm> {
  const checked = { ...form }
  await checkChain(db, form.escalation_chain)
  for (const kind of KINDS) {
    const type = form[`${kind}_type` as const]
    const isScript = type === 'script' || type === 'server'
    if (!isScript) checked[kind] = null
    if (type !== 'rest') checked[`${kind}_rest` as const] = null
    const env_vars = form[`${kind}_env_vars` as const]
    const isUnchanged =
      before?.[kind] === form[kind] &&
      JSON.stringify(before[`${kind}_env_vars` as const]) === JSON.stringify(env_vars)
    if (isScript) {
      const script = await checkScript(db, kind, form[kind])
      if (!isUnchanged)
        checked[`${kind}_env_vars` as const] = completeEnvironment(script, env_vars, `${kind}.`)
    }
    if (type === 'rest') checkRest(kind, form[`${kind}_rest` as const])
  }
  return checked
}

/** The chain stays locked until the end, so that it is not deleted at the same time. */
async function checkChain(db: Db, id: number | null): Promise<void> {
  if (id === null) return
  await lockRow(db, 'escalation_chains', 'id', id)
  if ((await findChain(db, id)) === undefined)
    refuse('escalation_chain', 'This escalation chain does not exist.')
}

async function checkScript(db: Db, field: string, id: number | null): Promise<{ parameters: string }> {
  if (id === null) refuse(field, 'Choose a script.')
  const script = await db.selectFrom('scripts').select('parameters').where('id', '=', id).executeTakeFirst()
  return script ?? refuse(field, 'This script does not exist.')
}

function checkRest(kind: (typeof KINDS)[number], rest: AlertTemplateForm['action_rest']): void {
  const field = `${kind}_rest`
  if (rest === null) refuse(field, 'Enter the URL of the webhook.')
  try {
    checkSettings({ kind: 'webhook', ...rest })
  } catch (error) {
    if (!(error instanceof AppError) || error.fields === undefined) throw error
    // The same rules, with the field names used here.
    const [[name, sentences] = ['settings', []]] = Object.entries(error.fields)
    refuse(name.replace('settings', field), sentences[0] ?? error.message)
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}
