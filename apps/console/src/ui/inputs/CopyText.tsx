import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
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
