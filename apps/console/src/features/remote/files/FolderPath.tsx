import { ActionIcon, TextInput } from '@mantine/core'
import { ROOT_PATH } from '@muster/contract/agent/files'
import { rawOfText, showRaw, stepsOfRaw } from '@muster/rules/agents/raw-path'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './FilesPane.module.css'
import { checkFolder, trimEnd } from './file-rows.ts'

interface FolderPathProps {
  path: string
  isWindows: boolean
  onOpen: (path: string) => void
}

/** The current folder, with links to all its parents; a path can be typed instead. */
export function FolderPath({ path, isWindows, onOpen }: FolderPathProps) {
  const [isWriting, setIsWriting] = useState(false)
  const close = () => setIsWriting(false)
  if (isWriting) return <PathField path={path} isWindows={isWindows} onOpen={onOpen} onClose={close} />
  const steps = stepsOfRaw(path)
  return (
    <nav aria-label="Folder" className={classes.path}>
      {steps.map((step, at) => (
        <span key={step.path}>
          {at > (isWindows ? 0 : 1) && <span aria-hidden>{isWindows ? '\\' : '/'}</span>}
          <button
            type="button"
            className={classes.step}
            aria-current={at === steps.length - 1 ? 'location' : undefined}
            onClick={() => onOpen(step.path)}
          >
            {isWindows && at === 0 ? 'Drives' : step.name}
          </button>
        </span>
      ))}
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label="Enter path"
        onClick={() => setIsWriting(true)}
      >
        <IconPencil size={14} stroke={1.75} aria-hidden />
      </ActionIcon>
    </nav>
  )
}

function PathField({ path, isWindows, onOpen, onClose }: FolderPathProps & { onClose: () => void }) {
  const shown = isWindows && path === ROOT_PATH ? '' : showRaw(path)
  const [text, setText] = useState(shown)
  const written = text.trim()
  const error = written === '' ? null : checkFolder(written, isWindows)
  return (
    <form
      className={classes.path}
      onSubmit={(event) => {
        event.preventDefault()
        if (error !== null) return
        // The shown text may stand for invalid bytes.
        if (written !== '' && written !== shown) onOpen(rawOfText(trimEnd(written)))
        onClose()
      }}
    >
      <TextInput
        className={classes.written ?? ''}
        aria-label="Folder path"
        placeholder={isWindows ? 'C:\\Users' : '/var/log'}
        maxLength={4000}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        autoFocus
        value={text}
        error={error}
        onChange={(event) => setText(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={onClose}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
      />
    </form>
  )
}
