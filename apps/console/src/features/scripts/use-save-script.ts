import {
  type ScriptDetail,
  createScript,
  editScript,
  getScript,
  listScripts,
} from '@muster/contract/api/scripts'
import { ApiError } from '@muster/contract/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { ScriptEdit } from './script-edit.ts'
import { toScriptBody } from './script-form.ts'

export interface Save {
  sent: ScriptEdit
  /** The dialog closes afterwards. */
  andClose: boolean
  /** Over what somebody else has saved meanwhile. */
  over: boolean
}

/** Saves a script; refused when somebody else saved since it was opened, unless it is to be overwritten. */
export function useSaveScript(onSaved: (script: ScriptDetail, save: Save) => void) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ sent, over }: Save) => {
      const { saved } = sent.base
      const body = toScriptBody(sent.fields, sent.code)
      if (saved === undefined) return call(createScript, { body })
      const { id, modified } = saved
      return call(editScript, { params: { id }, body: over ? body : { ...body, modified } })
    },
    meta: { errorsShown: true },
    onSuccess: (script, save) => {
      queryClient.setQueryData(queryKey(getScript, { params: { id: script.id } }), script)
      void queryClient.invalidateQueries({ queryKey: queryKey(listScripts) })
      notifyDone('Script saved.')
      onSaved(script, save)
    },
  })
  const isConflict = error instanceof ApiError && error.code === 'changed_meanwhile'
  return { save: mutate, isPending, error: isConflict ? null : error, isConflict, reset }
}
