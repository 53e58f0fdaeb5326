import { Alert, Button } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { useForm } from '@mantine/form'
import {
  type ScriptDetail,
  createScript,
  editScript,
  getScript,
  listScripts,
} from '@muster/contract/api/scripts'
import { ApiError } from '@muster/contract/client'
import { scriptCan } from '@muster/rules/script-can'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call, query } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { queryKey } from '../../app/query-key.ts'
import { useMay } from '../../app/queries.ts'
import { useDialog } from '../../app/use-dialog.ts'
import { ScriptCode } from './ScriptCode.tsx'
import { ScriptFields } from './ScriptFields.tsx'
import classes from './ScriptsDialog.module.css'
import {
  NEW_SCRIPT,
  type ScriptForm,
  checkScript,
  cloneScript,
  readScript,
  toScriptBody,
} from './script-form.ts'

/** The editor of a script: `?item=12`, of a new one: `new`, or of a copy: `clone.12`. Leads back to the library. */
export function ScriptDialog({ item = 'new' }: AddressedDialogProps) {
  const { open } = useDialog()
  const close = () => open('scripts')
  const id = /^(?:clone\.)?(\d+)$/.exec(item)?.[1]
  return (
    <GuardedDialog title="Script" needs="can_list_scripts" size="full" onClose={close}>
      {id === undefined ? (
        <Editor key={item} start={NEW_SCRIPT} script={undefined} close={close} />
      ) : (
        <SavedScript key={item} id={id} isClone={item.startsWith('clone.')} close={close} />
      )}
    </GuardedDialog>
  )
}

function SavedScript({ id, isClone, close }: { id: string; isClone: boolean; close: () => void }) {
  // What somebody else has saved since is loaded; nothing is kept from the last time.
  const options = query(getScript, { params: { id } })
  const { data, error, refetch } = useQuery({ ...options, gcTime: 0, staleTime: Infinity })
  if (data === undefined) {
    return (
      <StateDialog title="Script" size="full" onClose={close} error={error} onRetry={() => void refetch()} />
    )
  }
  if (isClone) return <Editor start={cloneScript(data)} script={undefined} close={close} />
  return <Editor start={readScript(data)} script={data} close={close} />
}

interface EditorProps {
  start: ScriptForm
  /** What is edited; undefined = a new one. */
  script: ScriptDetail | undefined
  close: () => void
}

function Editor({ start, script, close }: EditorProps) {
  const queryClient = useQueryClient()
  const [modified, setModified] = useState(script?.modified)
  const [conflict, setConflict] = useState<ScriptDetail>()
  const form = useForm<ScriptForm>({ initialValues: start, validate: checkScript, validateInputOnBlur: true })
  const mayManage = useMay('can_manage_scripts')
  const can = script === undefined ? undefined : scriptCan.edit(script)
  const readOnly = !mayManage || can?.allowed === false
  const save = async (values: ScriptForm) => {
    const body = toScriptBody(values)
    try {
      if (script === undefined) await call(createScript, { body })
      else {
        const change = modified === undefined ? body : { ...body, modified }
        await call(editScript, { params: { id: script.id }, body: change })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile' && script !== undefined) {
        setConflict(await call(getScript, { params: { id: script.id } }))
      }
      throw error
    }
    await queryClient.invalidateQueries({ queryKey: queryKey(listScripts) })
  }
  return (
    <FormDialog
      title={script === undefined ? 'New script' : script.name}
      size="full"
      form={form}
      save={save}
      done={`${form.values.name.trim()} is saved.`}
      mayStayUnchanged={script === undefined}
      onClose={close}
    >
      {conflict !== undefined && (
        <Alert color="warning" mb="md" title="Somebody else has saved this script since you opened it">
          <Button
            variant="default"
            mr="sm"
            onClick={() => {
              form.setInitialValues(readScript(conflict))
              form.setValues(readScript(conflict))
              setModified(conflict.modified)
              setConflict(undefined)
            }}
          >
            Take theirs
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setModified(conflict.modified)
              setConflict(undefined)
            }}
          >
            Keep mine and save over it
          </Button>
        </Alert>
      )}
      {can?.allowed === false && (
        <Alert color="info" mb="md">
          {can.reason}
        </Alert>
      )}
      <fieldset disabled={readOnly} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <div className={classes.editor}>
          <ScriptCode form={form} readOnly={readOnly} />
          <ScriptFields form={form} />
        </div>
      </fieldset>
    </FormDialog>
  )
}
