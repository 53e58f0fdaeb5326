import { Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type MouseEvent, useEffect, useState } from 'react'
import classes from './CopyBox.module.css'
import { copyText } from './CopyText.tsx'

interface CopyBoxProps {
  text: string
  /** Accessible name of the text. */
  label: string
  copyLabel?: string
  /** In a dialog: to copy is what comes next. */
  autoFocus?: boolean
}

const SHOWN_MS = 2000

/** Text to be pasted elsewhere. */
export function CopyBox({ text, label, copyLabel = 'Copy', autoFocus = false }: CopyBoxProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async ({ currentTarget }: MouseEvent<HTMLElement>) =>
    setCopied(await copyText(text, currentTarget))
  const Icon = copied ? IconCheck : IconCopy
  return (
    <div role="group" aria-label={label} className={classes.box}>
      <code className={classes.text}>{text}</code>
      <Button
        className={classes.button ?? ''}
        variant="default"
        leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
        onClick={(event) => void copy(event)}
        data-autofocus={autoFocus || undefined}
      >
        <span aria-live="polite">{copied ? 'Copied' : copyLabel}</span>
      </Button>
    </div>
  )
}
