import { Kbd, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import classes from './PaletteButton.module.css'
import { openPalette } from './palette.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** In the middle of the header; looks like a field and opens the command palette. */
export function PaletteButton() {
  return (
    <UnstyledButton
      className={classes.button}
      onClick={openPalette}
      aria-haspopup="dialog"
      aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
    >
      <IconSearch size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span className={classes.text}>Find a machine, client, script or action</span>
      <Kbd size="xs" className={classes.key} aria-hidden>
        {isMac ? '⌘ K' : 'Ctrl K'}
      </Kbd>
    </UnstyledButton>
  )
}
