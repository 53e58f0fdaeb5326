import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useFeatureSources } from '../register.ts'
import { useDialog } from '../dialogs/use-dialog.ts'
import { useSession } from '../session/session.ts'
import { CommandPalette } from './CommandPalette.tsx'
import { openPalette, type PaletteEntry, usePaletteOpened, usePaletteSource } from './palette.ts'
import { useDarkMode } from './look.ts'
import { openToolWindow, useMenus, usePages } from './menus.ts'

/** Opens the palette on Ctrl+K, also from within a field, and the list of shortcuts on `?`. */
export function PaletteHost() {
  const { open } = useDialog()
  useHotkeys([['mod+K', openPalette]], [])
  useHotkeys([['shift+?', () => open('shortcuts')]])
  useActionSource()
  useFeatureSources()
  const opened = usePaletteOpened()
  // Not loaded on demand: text typed right after Ctrl+K must not be lost.
  return opened && <CommandPalette />
}

function useActionSource(): void {
  const pages = usePages()
  const menus = useMenus()
  const { open } = useDialog()
  const navigate = useNavigate()
  const { dark, toggle } = useDarkMode()
  const isSso = useSession().sso_provider !== null
  const action = (label: string, run: () => void): PaletteEntry => ({
    id: `action ${label}`,
    group: 'Actions',
    label,
    run,
  })
  const actions = [
    ...pages.map(({ label, page, words = '' }) => ({
      ...action(label, () => void navigate({ to: page })),
      group: 'Screens',
      words,
    })),
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
    action(
      'Preferences',
      () => void navigate({ to: '/settings/$section', params: { section: 'preferences' } }),
    ),
    action(dark ? 'Light mode' : 'Dark mode', toggle),
    action('Sessions', () => open('sessions')),
    action('Sign-in history', () => open('sign-ins')),
    ...(isSso
      ? []
      : [
          action('Change password', () => open('reset-password')),
          action('Set up two-factor again', () => open('reset-2fa')),
          action('Recovery codes', () => open('recovery-codes')),
          action('Passkeys', () => open('passkeys')),
        ]),
    action('Sign out', () => void navigate({ to: '/expired' })),
  ]
  usePaletteSource('actions', actions.map(({ label }) => label).join(), () => actions)
}
