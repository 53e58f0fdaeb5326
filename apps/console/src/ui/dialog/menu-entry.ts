import type { Icon } from '@tabler/icons-react'

/** One line of a menu, in any place: at the pointer, under a button, in the palette. */
export interface MenuItem {
  id: string
  label: string
  icon?: Icon
  /** The keyboard shortcut. */
  shortcut?: string
  danger?: boolean
  /** A dim note under the label, to read before choosing. */
  note?: string | undefined
  /** More words by which the palette finds it. */
  words?: string
  /** Why it is disabled. */
  disabledReason?: string | undefined
  run: () => void
}

/** Entries behind one line. */
export interface SubMenu {
  id: string
  label: string
  icon: Icon
  entries: readonly MenuEntry[]
}

export type MenuEntry = MenuItem | SubMenu | { id: string; divider: true }

/** The lines of a menu that do something, those of its sub-menus too. */
export function listMenuItems(entries: readonly MenuEntry[]): MenuItem[] {
  return entries.flatMap((entry) =>
    'run' in entry ? [entry] : 'entries' in entry ? listMenuItems(entry.entries) : [],
  )
}

/** Shortcut labels of keys. */
const SHORTCUT_KEYS: Record<string, string> = { F2: 'F2', Delete: 'Del' }

/** Runs the entry with the shortcut of a key; returns whether there is one. */
export function runShortcut(entries: readonly MenuEntry[], key: string): boolean {
  const shortcut = SHORTCUT_KEYS[key]
  const entry = listMenuItems(entries).find((item) => shortcut !== undefined && item.shortcut === shortcut)
  if (entry?.disabledReason === undefined) entry?.run()
  return entry !== undefined
}

/** A line between two groups. */
export const divider = (id: string): MenuEntry => ({ id, divider: true })

export interface Point {
  x: number
  y: number
}
