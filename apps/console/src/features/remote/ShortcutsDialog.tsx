import { Kbd } from '@mantine/core'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './ShortcutsDialog.module.css'

const SHORTCUTS = [
  { keys: ['Ctrl', 'Shift', 'F'], does: 'Search in this terminal' },
  { keys: ['Ctrl', 'C'], does: 'Copy what is marked; without a mark it goes to the machine' },
  { keys: ['Ctrl', 'V'], does: 'Paste, without control characters' },
  { keys: ['Shift', 'Page Up'], does: 'Scroll back' },
  { keys: ['Shift', 'Page Down'], does: 'Scroll forth' },
  { keys: ['Alt', 'Click'], does: 'Move the cursor of the shell to there' },
  { keys: ['Shift', 'Mouse'], does: 'Mark text where a program has the mouse' },
  { keys: ['Delete'], does: 'On a tab: close it, which ends its terminal' },
]

/** The keys that this window takes for itself. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" size="sm" onClose={onClose}>
      <p className={classes.intro}>All other keys go to the machine.</p>
      <dl className={classes.list}>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className={classes.row}>
            <dt className={classes.keys}>
              {keys.map((key) => (
                <Kbd key={key} size="xs">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd className={classes.does}>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
