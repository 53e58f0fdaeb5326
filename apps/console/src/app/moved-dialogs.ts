/** Addresses that were dialogs over another page, `?dialog=scripts`, and the pages that replaced them. */
const PAGES = {
  scripts: { to: '/scripts' },
  audit: { to: '/audit' },
  'maintenance-windows': { to: '/maintenance' },
  users: { to: '/users' },
  settings: { to: '/settings' },
  preferences: { to: '/settings/$section', params: { section: 'preferences' } },
} as const

/** Dialogs of a client, a site or a machine. Without one they were of all machines, and are in the settings now. */
const OF_ALL_MACHINES = ['remote-access', 'agent-updates']

/** The page that replaced a dialog; undefined if the dialog still exists. */
export function findMovedDialog(dialog: string | undefined, item: string | undefined) {
  if (dialog === undefined) return undefined
  if (item === undefined && OF_ALL_MACHINES.includes(dialog)) {
    return { to: '/settings/$section', params: { section: dialog } } as const
  }
  // Just checked.
  return Object.hasOwn(PAGES, dialog) ? PAGES[dialog as keyof typeof PAGES] : undefined
}
