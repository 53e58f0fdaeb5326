import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { MenuItems } from './MenuItems.tsx'
import type { MenuEntry } from './menu-entry.ts'

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
