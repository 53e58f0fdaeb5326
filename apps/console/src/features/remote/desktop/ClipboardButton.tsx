import { Button, Popover, Textarea } from '@mantine/core'
import { IconClipboard } from '@tabler/icons-react'
import { useState } from 'react'
import { notify } from '../../../app/shell/notify.ts'
import classes from './DesktopWindow.module.css'
import type { SharedClipboard } from './use-clipboard.ts'

interface ClipboardProps {
  clipboard: SharedClipboard
  disabled: boolean
}

/** The text that the machine has copied, and one to give to it. */
export function ClipboardButton({ clipboard, disabled }: ClipboardProps) {
  return (
    <Popover position="bottom-start" width={300} withinPortal={false} trapFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconClipboard size={16} stroke={1.75} aria-hidden />}
        >
          Clipboard
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ClipboardForm key={clipboard.text} clipboard={clipboard} disabled={disabled} />
      </Popover.Dropdown>
    </Popover>
  )
}

function ClipboardForm({ clipboard, disabled }: ClipboardProps) {
  const [draft, setDraft] = useState(clipboard.text)
  const takeFromHere = async () => {
    try {
      clipboard.give(await navigator.clipboard.readText())
    } catch {
      notify('This browser does not let a page read the clipboard. Paste the text into the field.')
    }
  }
  return (
    <>
      <Textarea
        label="Text on the machine's clipboard"
        rows={5}
        value={draft}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <div className={classes.clipboardButtons}>
        <Button size="compact-sm" variant="default" disabled={disabled} onClick={() => void takeFromHere()}>
          Take from this computer
        </Button>
        <Button size="compact-sm" disabled={disabled} onClick={() => clipboard.give(draft)}>
          Give to the machine
        </Button>
      </div>
    </>
  )
}
