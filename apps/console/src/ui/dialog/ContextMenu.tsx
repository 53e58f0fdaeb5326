import { Button, Kbd, Menu } from '@mantine/core'
import { useMediaQuery, useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { IconChevronDown } from '@tabler/icons-react'
import classes from './ContextMenu.module.css'
import type { MenuEntry, MenuItem, Point, SubMenu } from './menu-entry.ts'

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
  // A menu without lines yet would open without a line to focus.
  if (at === undefined || entries.length === 0) return null
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
        <EarlyEscape onEscape={close} />
        <SteadyMenuItems entries={entries} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** The menu closes by Escape also in the moment before it has the focus. */
function EarlyEscape({ onEscape }: { onEscape: () => void }) {
  useWindowEvent(
    'keydown',
    (event) => {
      const isInMenu = event.target instanceof Element && event.target.closest('[role=menu]') !== null
      if (event.key !== 'Escape' || isInMenu) return
      event.stopPropagation()
      onEscape()
    },
    { capture: true },
  )
  return null
}

/** The lines of a menu as they are when it opens: no news moves a line from under the pointer. */
export function SteadyMenuItems({ entries }: { entries: readonly MenuEntry[] }) {
  const [shown, setShown] = useState(entries)
  if (shown.length === 0 && entries.length > 0) setShown(entries)
  return <MenuItems entries={shown} />
}

/** The lines of a menu; disabled ones say why. */
export function MenuItems({ entries }: { entries: readonly MenuEntry[] }) {
  return entries.map((entry) => {
    if ('run' in entry) return <Line key={entry.id} item={entry} />
    return 'entries' in entry ? <Sub key={entry.id} sub={entry} /> : <Menu.Divider key={entry.id} />
  })
}

const BESIDE = { shift: false, flip: true } as const

function Sub({ sub: { label, icon: SubIcon, entries } }: { sub: SubMenu }) {
  const [opened, setOpened] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  return (
    // The menu around it, which may scroll, neither clips it nor holds it inside. A phone has no room beside the menu.
    <Menu.Sub
      opened={opened}
      onChange={setOpened}
      floatingStrategy="fixed"
      {...(isNarrow ? {} : { middlewares: BESIDE })}
    >
      <Menu.Sub.Target>
        <Menu.Sub.Item
          classNames={{ item: classes.item ?? '', itemSection: classes.section ?? '' }}
          leftSection={<SubIcon size={16} stroke={1.75} aria-hidden />}
          // Fingers and the Enter key do not hover.
          onClick={() => setOpened(true)}
        >
          {label}
        </Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown aria-label={label}>
        <MenuItems entries={entries} />
      </Menu.Sub.Dropdown>
    </Menu.Sub>
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
