import { Button, Kbd, Menu } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { IconChevronDown } from '@tabler/icons-react'
import classes from './ContextMenu.module.css'
import { isMenuItem, type MenuEntry, type MenuItem, type Point } from './menu-entry.ts'

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

/** The lines of a menu; disabled ones say why. */
export function MenuItems({ entries }: { entries: readonly MenuEntry[] }) {
  return entries.map((entry) =>
    isMenuItem(entry) ? <Line key={entry.id} item={entry} /> : <Menu.Divider key={entry.id} />,
  )
}

function Line({ item }: { item: MenuItem }) {
  const { label, icon: ItemIcon, shortcut, danger = false, note, disabledReason, run } = item
  const more = disabledReason ?? note
  return (
    <Menu.Item
      disabled={disabledReason !== undefined}
      data-danger={danger || undefined}
      classNames={{ item: classes.item ?? '', itemSection: classes.section ?? '' }}
      {...(ItemIcon ? { leftSection: <ItemIcon size={16} stroke={1.75} aria-hidden /> } : {})}
      {...(shortcut === undefined ? {} : { rightSection: <Kbd size="xs">{shortcut}</Kbd> })}
      onClick={run}
    >
      {label}
      {more !== undefined && <span className={classes.note}>{more}</span>}
    </Menu.Item>
  )
}

/** A button above a list that opens a menu. */
export function ButtonMenu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  return (
    <Menu position="bottom-start" withinPortal={false} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        <MenuItems entries={entries} />
      </Menu.Dropdown>
    </Menu>
  )
}
