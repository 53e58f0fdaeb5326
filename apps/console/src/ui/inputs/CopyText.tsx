import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import classes from './CopyText.module.css'

interface CopyTextProps {
  text: string
  /** Accessible name of the button. */
  label?: string
  /** Shown instead of the text itself. */
  shown?: string
  /** Long text stays on one line and is cut. */
  singleLine?: boolean
}

/** Monospaced text with a copy button. */
export function CopyText({ text, label = 'Copy', shown = text, singleLine = false }: CopyTextProps) {
  return (
    <span className={classes.root}>
      <code className={classes.text} data-single-line={singleLine || undefined}>
        {shown}
      </code>
      <CopyButton value={text} timeout={1500}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon size={24} aria-label={copied ? 'Copied' : label} onClick={copy}>
              {copied ? <IconCheck size={16} stroke={1.75} /> : <IconCopy size={16} stroke={1.75} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  )
}

/** Copies a text to the clipboard; false where the browser refuses. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  // Browsers allow the clipboard over TLS and on localhost only; consoles also run on plain addresses.
  if (!window.isSecureContext) return copyBySelection(text, near)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Refused by a permission: the old way needs none.
    return copyBySelection(text, near)
  }
}

function copyBySelection(text: string, near: HTMLElement): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Next to the pressed button, or a dialog would take the focus back before the copy.
  const parent = near.parentElement ?? document.body
  parent.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  near.focus()
  return done
}

const SAID_MS = 1500

interface CopyActionProps {
  label: string
  /** Called only on copy: the text may be long. */
  text: () => string
  size?: 'sm' | 'md'
}

/** A button that copies a text. */
export function CopyAction({ label, text, size = 'md' }: CopyActionProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const said = copied ? 'Copied' : label
  const Icon = copied ? IconCheck : IconCopy
  return (
    <Tooltip label={said}>
      <ActionIcon
        aria-label={said}
        size={size}
        onClick={(event) => {
          const { currentTarget } = event
          void copyText(text(), currentTarget).then(setCopied)
        }}
      >
        <Icon size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  )
}
