import { ActionIcon, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'

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
