import { Menu } from '@mantine/core'
import { useEffect, useRef } from 'react'
import classes from './ContextMenu.module.css'
import { MenuItems } from './MenuItems.tsx'
import type { MenuEntry, Point } from './menu-entry.ts'

interface ContextMenuProps {
  label: string
  /** Its position; undefined = closed. */
  at: Point | undefined
  entries: readonly MenuEntry[]
  onClose: () => void
}

const CLICKS = ['mousedown', 'touchstart']

/** A menu at the pointer or at the focused element. Closing returns the focus to where it came from. */
export function ContextMenu({ label, at, entries, onClose }: ContextMenuProps) {
  const cameFrom = useRef<HTMLElement | null>(null)
  const opened = at !== undefined
  useEffect(() => {
    if (opened)
      cameFrom.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
  }, [opened])
  if (at === undefined) return null
  const close = () => {
    onClose()
    cameFrom.current?.focus({ preventScroll: true })
  }
  return (
    <Menu
      key={`${at.x} ${at.y}`}
      opened
      onClose={close}
      position="bottom-start"
      offset={2}
      // Not keydown, as is usual: the key that opened the menu would close it.
      clickOutsideEvents={CLICKS}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      // Inside its owner, so that it belongs to the same landmark; fixed, so that nothing clips it.
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <span className={classes.anchor} style={{ left: at.x, top: at.y }} aria-hidden />
      </Menu.Target>
      <Menu.Dropdown aria-label={label} onContextMenu={(event) => event.preventDefault()}>
        <MenuItems entries={entries} />
      </Menu.Dropdown>
    </Menu>
  )
}
