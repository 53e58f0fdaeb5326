import { ActionIcon, Menu } from '@mantine/core'
import { TERMINAL_FONT_SIZES, TerminalTheme } from '@muster/contract/api/users'
import {
  IconCircle,
  IconCircleDot,
  IconCopy,
  IconDotsVertical,
  IconKeyboard,
  IconTextDecrease,
  IconTextIncrease,
} from '@tabler/icons-react'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'
import { MenuItems } from '../../ui/dialog/MenuItems.tsx'
import { TERMINAL_THEME_WORDS } from './terminal-theme-words.ts'
import { useTerminalLook } from './use-terminal-look.ts'

/** What can be done with any terminal, and how terminals look. */
export function TerminalMenu({ onCopyAll, onKeys }: { onCopyAll: () => void; onKeys: () => void }) {
  const { look, change } = useTerminalLook()
  const { terminal_font_size: size, terminal_theme: chosen } = look
  const { least, most } = TERMINAL_FONT_SIZES
  const themes: MenuEntry[] = TerminalTheme.options.map((name) => ({
    id: name,
    label: TERMINAL_THEME_WORDS[name],
    note: name === chosen ? 'Chosen' : undefined,
    icon: name === chosen ? IconCircleDot : IconCircle,
    run: () => change({ terminal_theme: name }),
  }))
  return (
    <Menu position="bottom-end" withinPortal={false} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon variant="default" size={26} aria-label="Copy, look and keys">
          <IconDotsVertical size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Copy, look and keys">
        <MenuItems
          entries={[
            { id: 'copy', label: 'Copy the whole buffer', icon: IconCopy, run: onCopyAll },
            { id: 'keys', label: 'Keyboard shortcuts', icon: IconKeyboard, run: onKeys },
            divider('size'),
            {
              id: 'larger',
              label: 'Larger text',
              icon: IconTextIncrease,
              note: `${size} px now`,
              disabledReason: size >= most ? 'It is as large as it gets.' : undefined,
              run: () => change({ terminal_font_size: size + 1 }),
            },
            {
              id: 'smaller',
              label: 'Smaller text',
              icon: IconTextDecrease,
              disabledReason: size <= least ? 'It is as small as it gets.' : undefined,
              run: () => change({ terminal_font_size: size - 1 }),
            },
            divider('theme'),
            ...themes,
          ]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}
