import { Button, Stack } from '@mantine/core'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { CopyBox } from '../../ui/inputs/CopyBox.tsx'

/** A new secret, which the receiver needs to verify signatures. */
export function ShownSecret({
  name,
  secret,
  onClose,
}: {
  name: string
  secret: string
  onClose: () => void
}) {
  return (
    <Dialog
      title={`Copy the secret of ${name}`}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Stack gap="md">
        <div>The secret is not shown again. The receiver verifies deliveries with it.</div>
        <CopyBox label="Secret" text={secret} copyLabel="Copy secret" autoFocus />
      </Stack>
    </Dialog>
  )
}
