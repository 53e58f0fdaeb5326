import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import { checkSettings } from '../channels/check-channel.ts'
import { findScriptNames } from './queries.ts'

const KINDS = ['action', 'resolved_action'] as const

/** Refuses actions that could not be done, at the field that is wrong; what is not asked for is left out. */
export async function checkTemplate(db: Db, form: AlertTemplateForm): Promise<AlertTemplateForm> {
  const checked = { ...form }
  for (const kind of KINDS) {
    const type = form[`${kind}_type` as const]
    const isScript = type === 'script' || type === 'server'
    if (!isScript) checked[kind] = null
    if (type !== 'rest') checked[`${kind}_rest` as const] = null
    if (isScript) await checkScript(db, kind, form[kind])
    if (type === 'rest') checkRest(kind, form[`${kind}_rest` as const])
  }
  return checked
}

async function checkScript(db: Db, field: string, id: number | null): Promise<void> {
  if (id === null) refuse(field, 'Choose a script.')
  if (!(await findScriptNames(db, [id])).has(id)) refuse(field, 'This script does not exist (any more).')
}

function checkRest(kind: (typeof KINDS)[number], rest: AlertTemplateForm['action_rest']): void {
  const field = `${kind}_rest`
  if (rest === null) refuse(field, 'Say where to send it.')
  try {
    checkSettings({ kind: 'webhook', ...rest })
  } catch (error) {
    if (!(error instanceof AppError) || error.fields === undefined) throw error
    // The same rules, at the names that the fields have here.
    const [[name, sentences] = ['settings', []]] = Object.entries(error.fields)
    refuse(name.replace('settings', field), sentences[0] ?? error.message)
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}
