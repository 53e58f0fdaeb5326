import type { Permission } from '@muster/contract/permissions'
import type { DialogName } from '../dialogs/use-dialog.ts'
import { may, useDashInfo, useMe } from '../api/queries.ts'

/** A page with an entry of its own. */
interface Page {
  page:
    | '/'
    | '/alerts'
    | '/audit'
    | '/jobs'
    | '/maintenance'
    | '/overview'
    | '/patches'
    | '/policies'
    | '/scripts'
    | '/settings'
    | '/software'
    | '/users'
}

/** A tool in a window of its own. */
interface ToolWindow {
  window: string
}

interface MenuEntry {
  label: string
  /** A dialog, a page of the console, or an external page. */
  opens: { dialog: DialogName } | Page | { href: string } | ToolWindow
  needs?: Permission
  /** Only for superusers, and only where this switch is on. */
  switch?: 'web_terminal_enabled'
}

interface MenuTable {
  label: string
  entries: readonly MenuEntry[]
  /** Hidden on servers that a provider hosts for others. */
  hiddenWhenHosted?: true
}

export interface PageEntry extends Page {
  label: string
  needs: Permission
  /** More words that the palette finds it by. */
  words?: string
}

/** The pages that stand in the menu bar itself. */
const PAGES: readonly PageEntry[] = [
  { label: 'Overview', page: '/overview', needs: 'can_list_agents' },
  { label: 'Machines', page: '/', needs: 'can_list_agents', words: 'dashboard' },
  { label: 'Alerts', page: '/alerts', needs: 'can_list_alerts' },
  { label: 'Jobs', page: '/jobs', needs: 'can_list_agent_history' },
  { label: 'Patches', page: '/patches', needs: 'can_manage_winupdates' },
  { label: 'Software', page: '/software', needs: 'can_list_software' },
]

/** The menus beside the pages, by task. An item shows where the user's role allows its action. */
const MENUS: readonly MenuTable[] = [
  {
    label: 'Automation',
    entries: [
      { label: 'Policies', opens: { page: '/policies' }, needs: 'can_list_automation_policies' },
      { label: 'Scripts', opens: { page: '/scripts' }, needs: 'can_list_scripts' },
      { label: 'Key store', opens: { dialog: 'keystore' }, needs: 'can_view_global_keystore' },
      { label: 'URL actions', opens: { dialog: 'url-actions' }, needs: 'can_run_urlactions' },
      { label: 'Maintenance windows', opens: { page: '/maintenance' }, needs: 'can_list_agents' },
      { label: 'Pending actions', opens: { dialog: 'pending-actions' }, needs: 'can_list_pendingactions' },
    ],
  },
  {
    label: 'Tools',
    entries: [
      { label: 'Install agent', opens: { dialog: 'install-agent' }, needs: 'can_install_agents' },
      { label: 'Update agents', opens: { dialog: 'update-agents' }, needs: 'can_update_agents' },
      { label: 'Deployments', opens: { dialog: 'deployments' }, needs: 'can_list_deployments' },
      { label: 'Add client', opens: { dialog: 'add-client' }, needs: 'can_manage_clients' },
      { label: 'Add site', opens: { dialog: 'add-site' }, needs: 'can_manage_sites' },
      { label: 'Compare machines', opens: { dialog: 'compare' }, needs: 'can_list_agents' },
      { label: 'Terminals side by side', opens: { dialog: 'side-by-side' }, needs: 'can_use_terminal' },
      { label: 'Web terminal', opens: { window: '/webterm' }, switch: 'web_terminal_enabled' },
    ],
  },
  {
    label: 'Settings',
    entries: [
      { label: 'Alert channels', opens: { dialog: 'alert-channels' }, needs: 'can_view_core_settings' },
      { label: 'Alert templates', opens: { dialog: 'alert-templates' }, needs: 'can_list_alerttemplates' },
      {
        label: 'Escalation chains',
        opens: { dialog: 'escalation-chains' },
        needs: 'can_list_alerttemplates',
      },
      {
        label: 'On-call schedules',
        opens: { dialog: 'on-call-schedules' },
        needs: 'can_list_alerttemplates',
      },
      { label: 'Tags', opens: { dialog: 'tags' }, needs: 'can_list_agents' },
      { label: 'Custom fields', opens: { dialog: 'custom-fields' }, needs: 'can_view_customfields' },
      { label: 'Users', opens: { page: '/users' }, needs: 'can_list_accounts' },
      { label: 'Invitations', opens: { dialog: 'invitations' }, needs: 'can_manage_accounts' },
      { label: 'Roles', opens: { dialog: 'roles' }, needs: 'can_list_accounts' },
      { label: 'Single sign-on', opens: { dialog: 'sso-providers' }, needs: 'can_list_accounts' },
      { label: 'API keys', opens: { dialog: 'api-keys' }, needs: 'can_list_api_keys' },
      { label: 'Webhooks', opens: { dialog: 'webhooks' }, needs: 'can_edit_core_settings' },
      { label: 'Audit log', opens: { page: '/audit' }, needs: 'can_view_auditlogs' },
      { label: 'Backups', opens: { dialog: 'backups' }, needs: 'can_view_core_settings' },
      { label: 'All settings', opens: { page: '/settings' } },
    ],
  },
  {
    label: 'Help',
    entries: [
      { label: 'Keyboard shortcuts', opens: { dialog: 'shortcuts' } },
      { label: 'API documentation', opens: { href: '/docs/' } },
    ],
    hiddenWhenHosted: true,
  },
]

export type MenuItem = Pick<MenuEntry, 'label' | 'opens'>

export interface Menu {
  label: string
  items: MenuItem[]
}

/** The pages that this user can open. */
export function usePages(): PageEntry[] {
  const me = useMe()
  return me === undefined ? [] : PAGES.filter(({ needs }) => may(me, needs))
}

/** The menus with the items that this user can open; empty menus are left out. */
export function useMenus(): Menu[] {
  const me = useMe()
  const info = useDashInfo()
  if (me === undefined) return []
  return MENUS.filter(
    ({ hiddenWhenHosted }) => !(hiddenWhenHosted === true && info?.hosted !== false),
  ).flatMap(({ label, entries }) => {
    const items = entries
      .filter((entry) => entry.needs === undefined || may(me, entry.needs))
      .filter((entry) => entry.switch === undefined || (me.is_superuser && info?.[entry.switch] === true))
    return items.length === 0 ? [] : [{ label, items }]
  })
}

/** Whether the path is the page, or below it. The pages of machines belong to Machines. */
export function isInside({ page }: Page, path: string): boolean {
  return path === page || path.startsWith(page === '/' ? '/agents/' : `${page}/`)
}

/** Opens a tool in a window of its own. */
export function openToolWindow({ window: path }: ToolWindow): void {
  window.open(path, '_blank', 'noopener,popup,width=1280,height=720')
}
