import { IconAlertTriangle } from '@tabler/icons-react'
import { type SetStateAction, Suspense, lazy } from 'react'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { FileChoice, FilePlace, type ScriptFile } from './FileChoice.tsx'
import classes from './ScriptEditor.module.css'
import { interpreterWarning } from './script-code.ts'
import { type ScriptEdit, takeFile, typeCode } from './script-edit.ts'
import { SHELL_LABELS } from './script-words.ts'

const CodeEditor = lazy(() => import('./CodeEditor.tsx').then((file) => ({ default: file.CodeEditor })))

interface CodePaneProps {
  edit: ScriptEdit
  setEdit: (change: SetStateAction<ScriptEdit>) => void
  error: string | undefined
  readOnly: boolean
  /** In place of code, a file is asked for. */
  waitsForFile: boolean
}

/** The code of a script, with what one should know about it. */
export function CodePane({ edit, setEdit, error, readOnly, waitsForFile }: CodePaneProps) {
  const { fields, code, start, edition } = edit
  const take = (file: ScriptFile) => setEdit((now) => takeFile(now, file))
  if (waitsForFile) {
    return (
      <section className={classes.code} aria-label="Code of the script">
        <FilePlace onFile={take} />
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
