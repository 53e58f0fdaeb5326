import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useFeatureSources } from '../register.ts'
import { useDialog } from '../dialogs/use-dialog.ts'
import { CommandPalette } from './CommandPalette.tsx'
import { openPalette, type PaletteEntry, usePaletteOpened, usePaletteSource } from './palette.ts'
import { useDarkMode } from './look.ts'
import { openToolWindow, useMenus } from './menus.ts'

/** Opens the palette on Ctrl+K, also from within a field. */
export function PaletteHost() {
  useHotkeys([['mod+K', openPalette]], [])
  useActionSource()
  useFeatureSources()
  const opened = usePaletteOpened()
  // Not loaded on demand: text typed right after Ctrl+K must not be lost.
  return opened && <CommandPalette />
}

function useActionSource(): void {
  const menus = useMenus()
  const { open } = useDialog()
  const navigate = useNavigate()
  const { dark, toggle } = useDarkMode()
  const action = (label: string, run: () => void): PaletteEntry => ({
    id: `action ${label}`,
    group: 'Actions',
    label,
    run,
  })
  usePaletteSource('actions', () => [
    { ...action('Dashboard', () => void navigate({ to: '/' })), group: 'Screens' },
    ...menus.flatMap(({ label: menu, items }) =>
      items.map(({ label, opens }) => ({
        ...action(label, () => {
          if ('dialog' in opens) open(opens.dialog)
          else if ('page' in opens) void navigate({ to: opens.page })
          else if ('window' in opens) openToolWindow(opens)
          else window.open(opens.href, '_blank', 'noreferrer')
        }),
        ...('page' in opens ? { group: 'Screens' } : {}),
        hint: menu,
      })),
    ),
    action('Preferences', () => open('preferences')),
    action(dark ? 'Light mode' : 'Dark mode', toggle),
    action('Sessions', () => open('sessions')),
    action('Change password', () => open('reset-password')),
    action('Set up two-factor again', () => open('reset-2fa')),
    action('Sign out', () => void navigate({ to: '/expired' })),
  ])
}
