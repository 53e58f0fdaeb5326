import { Button, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './Dialog.tsx'

interface ConfirmDialogProps {
  title: string
  message: ReactNode
  confirmLabel: string
  /** Closes the dialog after success; the caller shows a rejection. */
  onConfirm: () => void | Promise<unknown>
  onClose: () => void
  danger?: boolean
  /** A word or name to type first, for actions that cannot be undone. */
  typed?: string
  busy?: boolean
  /** Another answer in the message is still missing. */
  blocked?: boolean
}

/** Asks before an action; if it cannot be undone, asks for the name or a typed yes. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, message, confirmLabel, onConfirm, onClose, danger = false, typed, busy = false } = props
  const { blocked = false } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim().toLowerCase() === typed.toLowerCase()
  const ready = isTyped && !blocked
  return (
    <Dialog
      title={title}
      onClose={onClose}
      size="sm"
      footer={
        <>
          <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
            Cancel
          </Button>
          <Button
            {...(danger ? { color: 'negative' } : {})}
            disabled={!ready}
            loading={busy}
            onClick={() => void onConfirm()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div>{message}</div>
      {typed !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (ready && !busy) void onConfirm()
          }}
        >
          <TextInput
            mt="md"
            label={`Type "${typed}" to confirm`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        </form>
      )}
    </Dialog>
  )
}
