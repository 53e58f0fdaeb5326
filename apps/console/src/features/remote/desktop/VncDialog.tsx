import { Button, NumberInput, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { isVncHost } from '@muster/rules/remote/vnc-targets'
import { useState } from 'react'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { TOOL_WINDOW } from '../side-by-side.ts'

const USUAL_PORT = 5900
const MAX_PORT = 65_535

/** Asks for a VNC server, and opens it in a separate window. */
export function VncDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="VNC" needs="can_use_mesh" onClose={close}>
      <AskTarget agentId={item ?? ''} close={close} />
    </GuardedDialog>
  )
}

function AskTarget({ agentId, close }: { agentId: string; close: () => void }) {
  const [host, setHost] = useState('localhost')
  const [port, setPort] = useState<number | string>(USUAL_PORT)
  const isPort = typeof port === 'number' && port >= 1 && port <= MAX_PORT
  const canOpen = isVncHost(host) && isPort
  const open = () => {
    const search = `?host=${encodeURIComponent(host.trim())}`
    window.open(`/webvnc/${agentId}/${port}${search}`, '_blank', TOOL_WINDOW)
    close()
  }
  return (
    <Dialog
      title="VNC"
      size="sm"
      onClose={close}
      footer={
        <>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" form="vnc-target" disabled={!canOpen}>
            Open
          </Button>
        </>
      }
    >
      <form
        id="vnc-target"
        onSubmit={(event) => {
          event.preventDefault()
          if (canOpen) open()
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Host"
            description="As seen from the machine: localhost is itself. The settings limit the choice."
            value={host}
            onChange={({ currentTarget }) => setHost(currentTarget.value)}
            error={isVncHost(host) ? undefined : 'Enter a name or an address, such as localhost or 10.0.0.5.'}
          />
          <NumberInput
            label="Port"
            value={port}
            onChange={setPort}
            data-autofocus
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            error={isPort ? undefined : `Enter 1 to ${MAX_PORT}.`}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
