import type { ScriptDetail } from '@muster/contract/api/scripts'
import { shellOfFile } from './script-code.ts'
import { type ScriptDraft, type ScriptFields, toDraft } from './script-form.ts'

/** A script during editing. */
export interface ScriptEdit {
  /** As it was opened, last saved, or reloaded; differences from it are unsaved. */
  base: ScriptDraft
  fields: ScriptFields
  code: string
  /** Initial text of the code editor, and how often it was restarted. */
  start: string
  edition: number
}

export function beginEdit(draft: ScriptDraft, edition = 0): ScriptEdit {
  return { base: draft, fields: draft.fields, code: draft.code, start: draft.code, edition }
}

export function hasChanges({ base, fields, code }: ScriptEdit): boolean {
  return (
    (fields !== base.fields && JSON.stringify(fields) !== JSON.stringify(base.fields)) || code !== base.code
  )
}

/** Whether the server has a later version than the edited one. */
export function isOutdated({ base }: ScriptEdit, draft: ScriptDraft): boolean {
  return base.saved !== undefined && draft.saved !== undefined && draft.saved.modified > base.saved.modified
}

/** New code, which restarts the code editor. */
export function replaceCode(edit: ScriptEdit, code: string): ScriptEdit {
  return { ...edit, code, start: code, edition: edit.edition + 1 }
}

/** Code from a file; its name fills empty fields. */
export function takeFile(edit: ScriptEdit, file: { name: string; code: string }): ScriptEdit {
  const { fields } = edit
  const isBlank = edit.base.saved === undefined && edit.code === ''
  return {
    ...replaceCode(edit, file.code),
    fields: {
      ...fields,
      filename: file.name.slice(0, 255),
      ...(fields.name === '' ? { name: file.name.replace(/\.[^.]+$/, '').slice(0, 255) } : {}),
      ...(isBlank ? { shell: shellOfFile(file.name) ?? fields.shell } : {}),
    },
  }
}

/** The response to a save. Changes since it was sent stay unsaved. */
export function markSaved(edit: ScriptEdit, sent: ScriptEdit, script: ScriptDetail): ScriptEdit {
  const base = toDraft(script)
  return {
    ...edit,
    base,
    fields: edit.fields === sent.fields ? base.fields : edit.fields,
    code: edit.code === sent.code ? base.code : edit.code,
  }
}
