import { type SetStateAction, useState } from 'react'
import { type ScriptEdit, beginEdit, hasChanges, isOutdated } from './script-edit.ts'
import type { ScriptDraft } from './script-form.ts'

export interface ScriptEditing {
  edit: ScriptEdit
  setEdit: (change: SetStateAction<ScriptEdit>) => void
  dirty: boolean
  /** Somebody else has saved since, and here are changes too. */
  outdated: boolean
  /** Begins anew with what is on the server. */
  load: (draft: ScriptDraft) => void
}

/** Work on a script. What others save is taken over at once while nothing is changed here. */
export function useScriptEdit(draft: ScriptDraft): ScriptEditing {
  const [edit, setEdit] = useState(() => beginEdit(draft))
  const dirty = hasChanges(edit)
  const isBehind = isOutdated(edit, draft)
  const load = (next: ScriptDraft) => setEdit((old) => beginEdit(next, old.edition + 1))
  if (isBehind && !dirty) load(draft)
  return { edit, setEdit, dirty, outdated: isBehind && dirty, load }
}
