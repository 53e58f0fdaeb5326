import { Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import type { ServerApproval } from '@muster/contract/api/scripts'
import { Suspense, useEffect, useId, useRef, useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { fieldErrors } from '../../app/api/form-errors.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { CodePane } from './CodePane.tsx'
import { ConflictDialog, OutdatedNote } from './ConflictDialog.tsx'
import { GenerateScript } from './GenerateScript.tsx'
import { WaitingNote } from './ScriptApproval.tsx'
import { ScriptFieldset } from './ScriptFieldset.tsx'
import classes from './ScriptEditor.module.css'
import { type ScriptEdit, markSaved, replaceCode } from './script-edit.ts'
import { type ScriptDraft, checkCode, checkFields } from './script-form.ts'
import { SHELL_LABELS } from './script-words.ts'
import { useSaveScript } from './use-save-script.ts'
import { useScriptAddress } from './use-script-address.ts'
import { useMayTestOnServer } from './use-test-run.ts'
import { useScriptEdit } from './use-script-edit.ts'

const TestRunDialog = lazyPart<{ edit: ScriptEdit; onClose: () => void }>(() =>
  import('./TestRunDialog.tsx').then((file) => file.TestRunDialog),
)

const FIELD_LABELS: Partial<Record<string, string>> = {
  name: 'Name',
  default_timeout: 'Time limit',
  args: 'Arguments',
  env_vars: 'Environment variables',
}

interface ScriptEditorProps {
  /** As it is on the server now; another one when somebody else has saved. */
  draft: ScriptDraft
  /** Why it can only be looked at. */
  readOnlyReason?: string | undefined
  /** The code comes from a file, which is asked for first. */
  fromFile?: boolean
  /** Whether the stored version may run on the server; null where no alert template runs it there. */
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
  const { openScript, openVersions } = useScriptAddress()
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
  // The button that asked for the file is gone, and the keyboard with it.
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
            {canSave && <span className={classes.hint}>Ctrl+S saves and stays here.</span>}
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
              <Button variant="default" onClick={() => base.saved && openVersions(base.saved.id)}>
                Versions
              </Button>
            )}
            {readOnly && mayManage && base.saved && (
              <Button variant="default" onClick={() => base.saved && openScript(`clone.${base.saved.id}`)}>
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
