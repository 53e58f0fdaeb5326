import { ActionIcon, TextInput } from '@mantine/core'
import { rawOfText, showRaw, stepsOfRaw } from '@muster/rules/agents/raw-path'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './FilesPane.module.css'

interface FolderPathProps {
  path: string
  onOpen: (path: string) => void
}

/** The current folder, with links to all its parents; a path can be typed instead. */
export function FolderPath({ path, onOpen }: FolderPathProps) {
  const [isWriting, setIsWriting] = useState(false)
  const close = () => setIsWriting(false)
  if (isWriting) return <PathField path={path} onOpen={onOpen} onClose={close} />
  const steps = stepsOfRaw(path)
  return (
    <nav aria-label="Folder" className={classes.path}>
      {steps.map((step, at) => (
        <span key={step.path}>
          {at > 1 && <span aria-hidden>/</span>}
          <button
            type="button"
            className={classes.step}
            aria-current={at === steps.length - 1 ? 'location' : undefined}
            onClick={() => onOpen(step.path)}
          >
            {step.name}
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

function PathField({ path, onOpen, onClose }: FolderPathProps & { onClose: () => void }) {
  const shown = showRaw(path)
  const [text, setText] = useState(shown)
  const written = text.trim()
  const isWhole = written === '' || written.startsWith('/')
  return (
    <form
      className={classes.path}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWhole) return
        // The shown text may stand for invalid bytes.
        if (written !== '' && written !== shown) onOpen(rawOfText(written.replace(/(?<=.)\/+$/, '')))
        onClose()
      }}
    >
      <TextInput
        className={classes.written ?? ''}
        aria-label="Folder path"
        placeholder="/var/log"
        maxLength={4000}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        autoFocus
        value={text}
        error={isWhole ? undefined : 'Enter the full path of a folder, starting with /.'}
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
