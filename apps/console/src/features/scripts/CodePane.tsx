import { Button, FileButton } from '@mantine/core'
import { IconAlertTriangle, IconFileUpload } from '@tabler/icons-react'
import { type SetStateAction, Suspense, lazy } from 'react'
import { notify } from '../../app/notify.ts'
import { SkeletonRows } from '../../ui/States.tsx'
import classes from './ScriptEditor.module.css'
import { LONGEST_CODE, decodeFile, interpreterWarning } from './script-code.ts'
import { type ScriptEdit, takeFile, typeCode } from './script-edit.ts'
import { SHELL_LABELS } from './script-words.ts'

const CodeEditor = lazy(() => import('./CodeEditor.tsx').then((file) => ({ default: file.CodeEditor })))

interface CodePaneProps {
  edit: ScriptEdit
  setEdit: (change: SetStateAction<ScriptEdit>) => void
  error: string | undefined
  readOnly: boolean
}

/** The code of a script, with what one should know about it. */
export function CodePane({ edit, setEdit, error, readOnly }: CodePaneProps) {
  const { fields, code, start, edition } = edit
  const warning = error ?? interpreterWarning(fields.shell, code)
  return (
    <section className={classes.code} aria-label="Code of the script">
      <div className={classes.codeHead}>
        <span>{SHELL_LABELS[fields.shell]}</span>
        {!readOnly && <span className={classes.note}>Tab indents; Esc, then Tab leaves the code.</span>}
        {!readOnly && <FromFile onFile={(file) => setEdit((now) => takeFile(now, file))} />}
      </div>
      <div className={classes.editor}>
        <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
          <CodeEditor
            key={edition}
            start={start}
            onChange={(text) => setEdit((now) => typeCode(now, text))}
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

function FromFile({ onFile }: { onFile: (file: { name: string; code: string }) => void }) {
  const read = async (file: File | null) => {
    if (file === null) return
    // Four bytes for a character at most; more is no script, and not worth reading.
    const code =
      file.size > LONGEST_CODE * 4 ? undefined : decodeFile(new Uint8Array(await file.arrayBuffer()))
    if (code === undefined)
      notify(`${file.name} is no text file, or too long for a script.`, { tone: 'negative' })
    else onFile({ name: file.name, code })
  }
  return (
    <FileButton onChange={(file) => void read(file)}>
      {(props) => (
        <Button
          {...props}
          variant="default"
          className={classes.file ?? ''}
          leftSection={<IconFileUpload size={16} stroke={1.75} aria-hidden />}
        >
          Load a file
        </Button>
      )}
    </FileButton>
  )
}
