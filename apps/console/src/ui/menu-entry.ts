import type { Icon } from '@tabler/icons-react'

/** One line of a menu, wherever it is drawn: at the pointer, under a button, in the palette. */
export interface MenuItem {
  id: string
  label: string
  icon?: Icon
  /** The keys that do the same. */
  shortcut?: string
  danger?: boolean
  /** What the person should know before; dim, under the label. */
  note?: string | undefined
  /** Why it cannot be done now. */
  disabledReason?: string | undefined
  run: () => void
}

export type MenuEntry = MenuItem | { id: string; divider: true }

export const isMenuItem = (entry: MenuEntry): entry is MenuItem => !('divider' in entry)

/** A line between two groups. */
export const divider = (id: string): MenuEntry => ({ id, divider: true })

export interface Point {
  x: number
  y: number
}
