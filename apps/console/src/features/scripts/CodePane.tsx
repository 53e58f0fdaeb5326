import { IconAlertTriangle, IconFileUpload } from '@tabler/icons-react'
import { lazy, type SetStateAction, Suspense, useState } from 'react'
import { Button, FileButton } from '@mantine/core'
import { EmptyState, SkeletonRows } from '../../ui/layout/States.tsx'
import { notify } from '../../app/shell/notify.ts'
import classes from './ScriptEditor.module.css'
import { decodeFile, interpreterWarning, MAX_CODE_LENGTH } from './script-code.ts'
import { type ScriptEdit, takeFile } from './script-edit.ts'
import { SHELL_LABELS } from './script-labels.ts'

const CodeEditor = lazy(() => import('./CodeEditor.tsx').then((file) => ({ default: file.CodeEditor })))

interface CodePaneProps {
  edit: ScriptEdit
  setEdit: (change: SetStateAction<ScriptEdit>) => void
  error: string | undefined
  readOnly: boolean
  /** Asks for a file in place of code. */
  waitsForFile: boolean
}

/** The code of a script, with warnings about it. */
export function CodePane({ edit, setEdit, error, readOnly, waitsForFile }: CodePaneProps) {
  const { fields, code, start, edition } = edit
  const take = (file: ScriptFile) => setEdit((now) => takeFile(now, file))
  if (waitsForFile) {
    return (
      <section className={classes.code} aria-label="Code of the script">
        <FileDropZone onFile={take} />
      </section>
    )
  }
  const warning = error ?? interpreterWarning(fields.shell, code)
  return (
    <section className={classes.code} aria-label="Code of the script">
      <div className={classes.codeHead}>
        <span>{SHELL_LABELS[fields.shell]}</span>
        {!readOnly && <span className={classes.note}>Tab indents; Esc, then Tab leaves the code.</span>}
        {!readOnly && (
          <span className={classes.file}>
            <FileChoice onFile={take} />
          </span>
        )}
      </div>
      <div className={classes.editor}>
        <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
          <CodeEditor
            key={edition}
            start={start}
            onChange={(text) => setEdit((now) => ({ ...now, code: text }))}
            shell={fields.shell}
            readOnly={readOnly}
          />
        </Suspense>
      </div>
      <p className={classes.warning} role="status" data-error={error !== undefined || undefined}>
        {warning !== undefined && (
          <>
            <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.warningIcon} />
            {warning}
          </>
        )}
      </p>
    </section>
  )
}

interface ScriptFile {
  name: string
  code: string
}

interface FileChoiceProps {
  onFile: (file: ScriptFile) => void
}

/** Asks for a file by drop or choice, before there is code. */
function FileDropZone({ onFile }: FileChoiceProps) {
  const [isOver, setOver] = useState(false)
  return (
    <div
      className={classes.fileDropZone}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void readFile(event.dataTransfer.files[0] ?? null, onFile)
      }}
    >
      <EmptyState message="Drop a script file here, or choose one.">
        <FileChoice label="Choose file" autoFocus onFile={onFile} />
      </EmptyState>
    </div>
  )
}

interface FileButtonProps extends FileChoiceProps {
  label?: string
  /** Takes the initial focus of its dialog. */
  autoFocus?: boolean
}

function FileChoice({ onFile, label = 'Load file', autoFocus = false }: FileButtonProps) {
  return (
    <FileButton onChange={(file) => void readFile(file, onFile)}>
      {(props) => (
        <Button
          {...props}
          {...(autoFocus ? { 'data-autofocus': true } : {})}
          variant="default"
          leftSection={<IconFileUpload size={16} stroke={1.75} aria-hidden />}
        >
          {label}
        </Button>
      )}
    </FileButton>
  )
}

async function readFile(file: File | null, onFile: FileChoiceProps['onFile']): Promise<void> {
  if (file === null) return
  // At most four bytes per character; larger files are no scripts.
  const code =
    file.size > MAX_CODE_LENGTH * 4 ? undefined : decodeFile(new Uint8Array(await file.arrayBuffer()))
  if (code === undefined) {
    notify(`${file.name} is not a text file, or is too long for a script.`, { tone: 'negative' })
  } else onFile({ name: file.name, code })
}
