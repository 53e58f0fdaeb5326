import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export function PreferencesDialog({ close }: AddressedDialogProps) {
  return (
    <Dialog title="Preferences" onClose={close}>
      {null}
    </Dialog>
  )
}
