import { Button, FileButton } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { notify } from '../../app/shell/notify.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import classes from './ScriptEditor.module.css'
import { LONGEST_CODE, decodeFile } from './script-code.ts'

export interface ScriptFile {
  name: string
  code: string
}

interface FileChoiceProps {
  onFile: (file: ScriptFile) => void
}

/** Where a file is dropped or chosen, before there is any code. */
export function FilePlace({ onFile }: FileChoiceProps) {
  const [isOver, setOver] = useState(false)
  return (
    <div
      className={classes.filePlace}
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
      <EmptyState message="Drop the script's file here, or choose it. Its name gives the script's name and shell.">
        <FileChoice label="Choose a file" autoFocus onFile={onFile} />
      </EmptyState>
    </div>
  )
}

interface FileButtonProps extends FileChoiceProps {
  label?: string
  /** It takes the keyboard when its dialog opens. */
  autoFocus?: boolean
}

export function FileChoice({ onFile, label = 'Load a file', autoFocus = false }: FileButtonProps) {
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
  // Four bytes for a character at most; more is no script, and not worth reading.
  const code = file.size > LONGEST_CODE * 4 ? undefined : decodeFile(new Uint8Array(await file.arrayBuffer()))
  if (code === undefined) {
    notify(`${file.name} is no text file, or too long for a script.`, { tone: 'negative' })
  } else onFile({ name: file.name, code })
}
