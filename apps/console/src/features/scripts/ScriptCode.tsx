import { Button, FileButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconUpload } from '@tabler/icons-react'
import { Suspense, lazy } from 'react'
import { notify } from '../../app/notify.ts'
import { SkeletonRows } from '../../ui/States.tsx'
import classes from './ScriptsDialog.module.css'
import { type ScriptForm, shebangWarning } from './script-form.ts'

const CodeEditor = lazy(async () => ({ default: (await import('./CodeEditor.tsx')).CodeEditor }))

const LARGEST_FILE_BYTES = 1_000_000

/** The code of a script, written here or read from a file. */
export function ScriptCode({ form, readOnly }: { form: UseFormReturnType<ScriptForm>; readOnly: boolean }) {
  const { script_body, shell } = form.values
  const warning = shebangWarning(form.values)
  const load = async (file: File | null) => {
    if (file === null) return
    if (file.size > LARGEST_FILE_BYTES) {
      notify(`${file.name} is larger than a script may be (1 MB).`, { tone: 'negative', preset: 'feedback' })
      return
    }
    form.setFieldValue('script_body', await file.text())
    form.setFieldValue('filename', file.name)
  }
  return (
    <div className={classes.code}>
      <div className={classes.codeHead}>
        <span className={warning === undefined ? classes.dim : classes.warning}>{warning ?? 'Code'}</span>
        {!readOnly && (
          <FileButton onChange={(file) => void load(file)}>
            {(props) => (
              <Button
                {...props}
                variant="subtle"
                color="gray"
                leftSection={<IconUpload size={14} stroke={1.75} aria-hidden />}
              >
                Read a file
              </Button>
            )}
          </FileButton>
        )}
      </div>
      <div className={classes.box}>
        <Suspense fallback={<SkeletonRows rows={8} />}>
          <CodeEditor
            label="Code"
            value={script_body}
            shell={shell}
            readOnly={readOnly}
            onChange={(value) => form.setFieldValue('script_body', value)}
          />
        </Suspense>
      </div>
    </div>
  )
}
