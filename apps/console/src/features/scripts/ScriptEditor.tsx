import { Button, Textarea } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import {
  createScript,
  editScript,
  generateScript,
  getScript,
  listScripts,
  type ScriptDetail,
  type ServerApproval,
} from '@muster/contract/api/scripts'
import { type SetStateAction, Suspense, useEffect, useId, useRef, useState } from 'react'
import { ApiError } from '@muster/contract/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { fieldErrors } from '../../app/api/form-errors.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { CodePane } from './CodePane.tsx'
import { WaitingNote } from './ScriptApproval.tsx'
import { ScriptFieldset } from './ScriptFieldset.tsx'
import classes from './ScriptEditor.module.css'
import { beginEdit, hasChanges, isOutdated, markSaved, replaceCode, type ScriptEdit } from './script-edit.ts'
import { checkCode, checkFields, type ScriptDraft, toDraft, toScriptBody } from './script-form.ts'
import { SHELL_LABELS } from './script-labels.ts'
import { useMayTestOnServer } from './use-test-run.ts'

/** The server gives up after a minute. */
const TIMEOUT_MS = 70_000

interface GenerateScriptProps {
  /** Label of the selected shell. */
  shell: string
  onCode: (code: string) => void
}

/** Asks the configured AI model for the code of a new script. */
function GenerateScript({ shell, onCode }: GenerateScriptProps) {
  const [text, setText] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(
        generateScript,
        { body: { prompt: `Write a script for ${shell}. ${text.trim()}` } },
        { timeoutMs: TIMEOUT_MS },
      ),
    meta: { errorsShown: true },
    onSuccess: onCode,
  })
  return (
    <div className={classes.generate}>
      {error !== null && <FormError error={error} />}
      <Textarea
        label="Describe the script"
        description="Sent to the configured AI service. Check the code before you run it."
        autosize
        minRows={1}
        maxRows={6}
        maxLength={9000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        mt="xs"
        variant="default"
        disabled={text.trim() === ''}
        loading={isPending}
        onClick={() => mutate()}
      >
        Generate script
      </Button>
    </div>
  )
}

const TestRunDialog = lazyPart<{ edit: ScriptEdit; onClose: () => void }>(() =>
  import('./TestRunDialog.tsx').then((file) => file.TestRunDialog),
)

const FIELD_LABELS: Partial<Record<string, string>> = {
  name: 'Name',
  default_timeout: 'Time limit',
  args: 'Arguments',
  env_vars: 'Environment variables',
  parameters: 'Parameters',
}

interface ScriptEditorProps {
  /** The current version on the server; changes when another user saves. */
  draft: ScriptDraft
  /** Why it is read-only. */
  readOnlyReason?: string | undefined
  /** The code comes from a file, which is asked for first. */
  fromFile?: boolean
  /** Whether the stored version may run on the server; null if no alert template runs it there. */
  approval?: ServerApproval | null
  onClose: () => void
}

/** A script's settings beside its code. Ctrl+S saves and stays; leaving with changes asks. */
export function ScriptEditor({
  draft,
  readOnlyReason,
  fromFile = false,
  approval = null,
  onClose,
}: ScriptEditorProps) {
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)
  const isLeaving = useRef(false)
  const { edit, setEdit, dirty, outdated, load } = useScriptEdit(draft)
  const [attempted, setAttempted] = useState(false)
  const { open } = useDialog()
  const [testing, setTesting] = useState(false)
  const mayRunOnServer = useMayTestOnServer()
  const mayTest = useMay('can_run_scripts') || mayRunOnServer
  const mayManage = useMay('can_manage_scripts')
  const mayGenerate = useDashInfo()?.open_ai_integration_enabled === true && mayManage
  const question = useLeaveQuestion(() => dirty && !isLeaving.current)
  const saving = useSaveScript((script, { sent, andClose }) => {
    setEdit((now) => markSaved(now, sent, script))
    if (!andClose) return
    isLeaving.current = true
    onClose()
  })
  const { base, fields, code } = edit
  const readOnly = readOnlyReason !== undefined
  const errors = checkFields(fields)
  const codeError = checkCode(code)
  const waitsForFile = fromFile && edit.edition === 0
  // The focused file button has disappeared.
  useEffect(() => {
    if (fromFile && !waitsForFile) form.current?.querySelector('input')?.focus()
  }, [fromFile, waitsForFile])
  const isValid = !waitsForFile && Object.keys(errors).length === 0 && codeError === undefined
  const wrong = Object.keys(errors).map((name) => FIELD_LABELS[name as keyof typeof errors] ?? name)
  const why = waitsForFile
    ? 'Choose a file first.'
    : wrong.length > 0
      ? `Missing or invalid: ${wrong.join(', ')}`
      : codeError === undefined
        ? undefined
        : 'The code is too long.'
  const mayBeSaved = !readOnly && (dirty || base.saved === undefined)
  const canSave = mayBeSaved && isValid && !saving.isPending
  const save = (how: { andClose: boolean; over: boolean }) => {
    if (canSave) return saving.save({ sent: edit, ...how })
    if (!mayBeSaved || isValid) return
    setAttempted(true)
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  useHotkeys([['mod+S', () => save({ andClose: false, over: false })]], [], true)

  return (
    <>
      <Dialog
        title={titleOf(base, { readOnly, fromFile })}
        size="full"
        persistent={dirty}
        why={readOnly ? undefined : (why ?? (mayBeSaved ? undefined : 'No changes to save.'))}
        onClose={onClose}
        footer={
          <>
            {canSave && <span className={classes.hint}>Ctrl+S saves and stays open</span>}
            {mayTest && (
              <Button
                variant="default"
                disabled={!isValid || code.trim() === ''}
                onClick={() => setTesting(true)}
              >
                Test
              </Button>
            )}
            {base.saved && !dirty && (
              <Button variant="default" onClick={() => base.saved && open('script-versions', base.saved.id)}>
                Versions
              </Button>
            )}
            {readOnly && mayManage && base.saved && (
              <Button
                variant="default"
                onClick={() => base.saved && open('script', `clone.${base.saved.id}`)}
              >
                Clone
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {dirty ? 'Cancel' : 'Close'}
            </Button>
            {!readOnly && (
              <Button type="submit" form={formId} disabled={!canSave} loading={saving.isPending}>
                Save
              </Button>
            )}
          </>
        }
      >
        <form
          ref={form}
          id={formId}
          noValidate
          className={classes.layout}
          data-waits-for-file={waitsForFile || undefined}
          onSubmit={(event) => {
            event.preventDefault()
            save({ andClose: true, over: false })
          }}
        >
          <div className={classes.fields}>
            {saving.error !== null && <FormError error={saving.error} />}
            {outdated && <OutdatedNote onLoad={() => load(draft)} />}
            {approval === 'waiting' && base.saved !== undefined && (
              <div className={classes.waiting} role="status">
                <WaitingNote scriptId={base.saved.id} name={base.fields.name} />
                <span>Alert templates do not run the saved version on the server.</span>
              </div>
            )}
            {readOnlyReason !== undefined && <p className={classes.note}>{readOnlyReason}</p>}
            {mayGenerate && base.saved === undefined && !waitsForFile && (
              <GenerateScript
                shell={SHELL_LABELS[fields.shell]}
                onCode={(generated) => setEdit((now) => replaceCode(now, generated))}
              />
            )}
            <ScriptFieldset
              fields={fields}
              errors={errors}
              serverErrors={fieldErrors(saving.error, fields)}
              showAll={attempted}
              readOnly={readOnly}
              autoFocus={!fromFile}
              onChange={(change) => setEdit((now) => ({ ...now, fields: { ...now.fields, ...change } }))}
            />
          </div>
          <CodePane
            edit={edit}
            setEdit={setEdit}
            error={codeError}
            readOnly={readOnly}
            waitsForFile={waitsForFile}
          />
        </form>
      </Dialog>
      {saving.isConflict && base.saved !== undefined && (
        <ConflictDialog
          id={base.saved.id}
          onKeep={saving.reset}
          onLoad={(theirs) => {
            saving.reset()
            load(theirs)
          }}
          onOverwrite={() => save({ andClose: false, over: true })}
        />
      )}
      {testing && (
        <Suspense fallback={null}>
          <TestRunDialog edit={edit} onClose={() => setTesting(false)} />
        </Suspense>
      )}
      {question}
    </>
  )
}

function titleOf({ saved, fields }: ScriptDraft, how: { readOnly: boolean; fromFile: boolean }): string {
  if (saved === undefined) return how.fromFile ? 'Upload script' : 'New script'
  return how.readOnly ? fields.name : `Edit ${fields.name}`
}

interface ScriptEditing {
  edit: ScriptEdit
  setEdit: (change: SetStateAction<ScriptEdit>) => void
  dirty: boolean
  /** Another user has saved, and there are changes here too. */
  outdated: boolean
  /** Restarts with the version on the server. */
  load: (draft: ScriptDraft) => void
}

/** Editing state of a script. Versions saved by others are loaded at once while there are no changes here. */
function useScriptEdit(draft: ScriptDraft): ScriptEditing {
  const [edit, setEdit] = useState(() => beginEdit(draft))
  const dirty = hasChanges(edit)
  const isBehind = isOutdated(edit, draft)
  const load = (next: ScriptDraft) => setEdit((old) => beginEdit(next, old.edition + 1))
  if (isBehind && !dirty) load(draft)
  return { edit, setEdit, dirty, outdated: isBehind && dirty, load }
}

interface Save {
  sent: ScriptEdit
  /** Closes the dialog after saving. */
  andClose: boolean
  /** Overwrites a version saved by another user. */
  over: boolean
}

/** Saves a script; rejected after a conflict, unless overwriting. */
function useSaveScript(onSaved: (script: ScriptDetail, save: Save) => void) {
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

interface ConflictDialogProps {
  id: number
  onKeep: () => void
  onLoad: (theirs: ScriptDraft) => void
  onOverwrite: () => void
}

/** A conflict: the user chooses which version stays. */
function ConflictDialog({ id, onKeep, onLoad, onOverwrite }: ConflictDialogProps) {
  const load = useMutation({
    mutationFn: () => call(getScript, { params: { id } }),
    onSuccess: (script) => onLoad(toDraft(script)),
  })
  return (
    <Dialog
      title="Another user has saved this script"
      size="md"
      onClose={onKeep}
      footer={
        <>
          <Button variant="default" onClick={onKeep} data-autofocus>
            Keep editing
          </Button>
          <Button variant="default" loading={load.isPending} onClick={() => load.mutate()}>
            Discard my changes
          </Button>
          <Button color="negative" onClick={onOverwrite}>
            Overwrite their version
          </Button>
        </>
      }
    >
      The script was changed since you opened it. Your changes are not saved.
    </Dialog>
  )
}

/** Shown while editing, before a save is rejected. */
function OutdatedNote({ onLoad }: { onLoad: () => void }) {
  return (
    <div className={classes.outdated} role="status">
      Another user has saved this script while you edit it.
      <Button variant="default" onClick={onLoad}>
        Discard my changes
      </Button>
    </div>
  )
}
