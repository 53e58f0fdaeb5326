import type { ChannelEnd } from '@muster/contract/agent/channel'
import { Button, Stack, Textarea } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { ConfirmCode } from '../users/sessions/ConfirmCode.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { dismissReason, giveReason, onReason, waitForReason } from './channel-client.ts'

interface AskNeededProps {
  /** Why a tool was not opened. */
  code: ChannelEnd['code']
  message: string
  onGiven: () => void
  onClose: () => void
}

/** Asks for the code or reason that opening a tool needs; nothing if the refusal is final. */
export function AskNeeded({ code, message, onGiven, onClose }: AskNeededProps) {
  if (code === 'code_needed') return <ConfirmCode message={message} onConfirmed={onGiven} onClose={onClose} />
  if (code === 'purpose_needed') return <AskReason message={message} onGiven={onGiven} onClose={onClose} />
  return null
}

interface AskReasonProps {
  /** Why a reason is required. */
  message: string
  onGiven: () => void
  onClose: () => void
}

/** Asks for the reason of opening a tool, where the remote access of the machine requires one; once for all tools opened together. */
function AskReason({ message, onGiven, onClose }: AskReasonProps) {
  const [text, setText] = useState('')
  const [asks, setAsks] = useState(false)
  const handlers = useRef({ onGiven, onClose })
  useEffect(() => {
    handlers.current = { onGiven, onClose }
  })
  useEffect(() => onReason(() => handlers.current.onGiven()), [])
  useEffect(
    () => waitForReason({ onTurn: () => setAsks(true), onDismissed: () => handlers.current.onClose() }),
    [],
  )
  if (!asks) return null
  const reason = text.trim()
  return (
    <Dialog title="Reason" size="sm" onClose={dismissReason}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (reason !== '') giveReason(reason)
        }}
      >
        <Stack gap="md">
          <div>{message}</div>
          <Textarea
            label="Reason"
            placeholder="Ticket 4711: the printer does not print"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
            maxLength={300}
            autosize
            minRows={2}
            maxRows={6}
            data-autofocus
          />
          <Button type="submit" size="sm" disabled={reason === ''}>
            Continue
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}
