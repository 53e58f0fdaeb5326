import type { ScriptDetail } from '@muster/contract/api/scripts'
import { isSameCode, shellOfFile, withLineEndsOf } from './script-code.ts'
import { type ScriptDraft, type ScriptFields, toDraft } from './script-form.ts'

/** A script while somebody works on it. */
export interface ScriptEdit {
  /** As it was opened, saved last, or loaded anew: what differs from it is not saved. */
  base: ScriptDraft
  fields: ScriptFields
  code: string
  /** What the code editor began with, and how often it has begun anew. */
  start: string
  edition: number
}

export function beginEdit(draft: ScriptDraft, edition = 0): ScriptEdit {
  return { base: draft, fields: draft.fields, code: draft.code, start: draft.code, edition }
}

export function hasChanges({ base, fields, code }: ScriptEdit): boolean {
  return (
    (fields !== base.fields && JSON.stringify(fields) !== JSON.stringify(base.fields)) ||
    !isSameCode(code, base.code)
  )
}

/** Whether the server has a later version than the one that is worked on. */
export function isOutdated({ base }: ScriptEdit, draft: ScriptDraft): boolean {
  return base.saved !== undefined && draft.saved !== undefined && draft.saved.modified > base.saved.modified
}

/** What the code editor says: it knows one line end, the code keeps its own. */
export function typeCode(edit: ScriptEdit, text: string): ScriptEdit {
  return { ...edit, code: withLineEndsOf(text, edit.start) }
}

/** Other code, with which the code editor begins anew. */
export function replaceCode(edit: ScriptEdit, code: string): ScriptEdit {
  return { ...edit, code, start: code, edition: edit.edition + 1 }
}

/** Code from a file; what the file's name tells fills what nobody has said yet. */
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

/** The answer to a save. What was typed since it was sent stays, and is not saved yet. */
export function markSaved(edit: ScriptEdit, sent: ScriptEdit, script: ScriptDetail): ScriptEdit {
  const base = toDraft(script)
  return {
    ...edit,
    base,
    fields: edit.fields === sent.fields ? base.fields : edit.fields,
    code: edit.code === sent.code ? base.code : edit.code,
  }
}
