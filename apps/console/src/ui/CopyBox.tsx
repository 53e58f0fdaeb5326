import { Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import classes from './CopyBox.module.css'

interface CopyBoxProps {
  text: string
  /** Accessible name of the text. */
  label: string
  copyLabel?: string
}

const SHOWN_MS = 2000

/** Text that is there to be pasted elsewhere. It can be copied on pages without a certificate too. */
export function CopyBox({ text, label, copyLabel = 'Copy' }: CopyBoxProps) {
  const code = useRef<HTMLElement>(null)
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle')
  useEffect(() => {
    if (state !== 'copied') return undefined
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => setState((await copyText(text, code.current)) ? 'copied' : 'selected')
  const Icon = state === 'copied' ? IconCheck : IconCopy
  return (
    <div className={classes.box}>
      <code ref={code} className={classes.text} aria-label={label}>
        {text}
      </code>
      <Button
        className={classes.button ?? ''}
        variant="default"
        leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
        onClick={() => void copy()}
        data-autofocus
      >
        <span aria-live="polite">{LABELS[state] ?? copyLabel}</span>
      </Button>
    </div>
  )
}

const LABELS: Partial<Record<string, string>> = { copied: 'Copied', selected: 'Press Ctrl+C' }

/** False where the browser refuses; the text is then selected, so that the keys copy it. */
async function copyText(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Plain HTTP pages have no clipboard, and a person may have forbidden it.
    if (element === null) return false
    getSelection()?.selectAllChildren(element)
    return document.execCommand('copy')
  }
}
