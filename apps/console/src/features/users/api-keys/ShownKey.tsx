import { Button, Stack } from '@mantine/core'
import type { ShownApiKey } from '@muster/contract/api/api-keys'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CopyBox } from '../../../ui/inputs/CopyBox.tsx'

/** A new key, and a command that tries it. */
export function ShownKey({ apiKey, onClose }: { apiKey: ShownApiKey; onClose: () => void }) {
  return (
    <Dialog
      title={`Copy the key of ${apiKey.name}`}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Stack gap="md">
        <div>The key is not shown again.</div>
        <CopyBox label="API key" text={apiKey.key} copyLabel="Copy key" autoFocus />
        <div>Try it:</div>
        <CopyBox
          label="Command that tries the key"
          text={`curl -H "X-API-KEY: ${apiKey.key}" ${location.origin}/accounts/users/me/`}
        />
      </Stack>
    </Dialog>
  )
}
