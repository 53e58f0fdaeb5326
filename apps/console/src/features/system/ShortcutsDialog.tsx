import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Terms } from '../../ui/layout/Terms.tsx'

const EVERYWHERE = [
  ['Ctrl+K', 'Find a machine, site, script, screen or action'],
  ['/', 'Search the machines or alerts'],
  ['?', 'Show these shortcuts'],
  ['Ctrl+Enter', 'Run or send what the dialog has'],
  ['Escape', 'Close the dialog or menu; in a list, clear the selection'],
] as const

const LISTS = [
  ['Up  Down  Page Up  Page Down  Home  End', 'Select a row'],
  ['Enter', 'Open the selected row'],
  ['Shift+F10', 'Open the menu of the row'],
  ['Space', 'Check the row, where rows have check boxes'],
  ['Shift+Up  Shift+Down', 'Check the rows on the way'],
  ['Ctrl+A', 'Check all rows'],
  ['Right  Left', 'In the tree: open or close the client'],
  ['Alt+Left  Alt+Right', 'On the title of a column: make it narrower or wider'],
] as const

const ALERTS = [
  ['Up  Down  Home  End', 'Choose a cause or a machine'],
  ['Right  Left', 'Open or close the cause'],
  ['A', 'Acknowledge the alert, or the checked ones'],
  ['S', 'Snooze the alert, or the checked ones'],
  ['T', 'Open a terminal on the machine'],
  ['R', 'Run a script on the machine'],
  ['Enter', 'Open the machine'],
] as const

const TOOLS = [
  ['F2  Delete', 'Files: rename or delete the selected file'],
  ['Ctrl+S', 'Script editor: save'],
  ['Ctrl+C  Ctrl+V', 'Terminal: copy the selection, or paste'],
  ['Ctrl+Shift+F', 'Terminal: search'],
] as const

/** All keys of the console. */
export function ShortcutsDialog({ close }: AddressedDialogProps) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={close} size="lg">
      {/* Focusable, so that the keyboard scrolls it. */}
      <section aria-label="Shortcuts" tabIndex={0}>
        <Terms title="Everywhere" rows={EVERYWHERE} />
        <Terms title="Lists" rows={LISTS} />
        <Terms title="Alerts by cause" rows={ALERTS} />
        <Terms title="Tools of a machine" rows={TOOLS} />
      </section>
    </Dialog>
  )
}
