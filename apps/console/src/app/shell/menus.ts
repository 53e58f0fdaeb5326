import type { Permission } from '@muster/contract/permissions'
import type { DialogName } from '../dialogs/use-dialog.ts'
import { may, useDashInfo, useMe } from '../api/queries.ts'

/** A page with a menu item of its own. */
interface Page {
  page: '/alerts' | '/policies' | '/software'
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

/** The menu bar. An item shows where the user's role allows its action. */
const MENUS: readonly MenuTable[] = [
  {
    label: 'File',
    entries: [
      { label: 'Add client', opens: { dialog: 'add-client' }, needs: 'can_manage_clients' },
      { label: 'Add site', opens: { dialog: 'add-site' }, needs: 'can_manage_sites' },
      { label: 'Audit log', opens: { dialog: 'audit' }, needs: 'can_view_auditlogs' },
    ],
  },
  {
    label: 'View',
    entries: [
      { label: 'Pending actions', opens: { dialog: 'pending-actions' }, needs: 'can_list_pendingactions' },
      { label: 'Alerts', opens: { page: '/alerts' }, needs: 'can_list_alerts' },
      { label: 'Software', opens: { page: '/software' }, needs: 'can_list_software' },
      { label: 'Compare machines', opens: { dialog: 'compare' }, needs: 'can_list_agents' },
      { label: 'Terminals side by side', opens: { dialog: 'side-by-side' }, needs: 'can_use_terminal' },
      { label: 'Web terminal', opens: { window: '/webterm' }, switch: 'web_terminal_enabled' },
    ],
  },
  {
    label: 'Agents',
    entries: [
      { label: 'Install agent', opens: { dialog: 'install-agent' }, needs: 'can_install_agents' },
      { label: 'Update agents', opens: { dialog: 'update-agents' }, needs: 'can_update_agents' },
      { label: 'Deployments', opens: { dialog: 'deployments' }, needs: 'can_list_deployments' },
    ],
  },
  {
    label: 'Settings',
    entries: [
      { label: 'Policies', opens: { page: '/policies' }, needs: 'can_list_automation_policies' },
      { label: 'Scripts', opens: { dialog: 'scripts' }, needs: 'can_list_scripts' },
      { label: 'Custom fields', opens: { dialog: 'custom-fields' }, needs: 'can_view_customfields' },
      { label: 'Key store', opens: { dialog: 'keystore' }, needs: 'can_view_global_keystore' },
      { label: 'Alert channels', opens: { dialog: 'alert-channels' }, needs: 'can_view_core_settings' },
      { label: 'Alert templates', opens: { dialog: 'alert-templates' }, needs: 'can_list_alerttemplates' },
      { label: 'Maintenance windows', opens: { dialog: 'maintenance-windows' }, needs: 'can_list_agents' },
      { label: 'Remote access', opens: { dialog: 'remote-access' }, needs: 'can_manage_remote_access' },
      { label: 'Agent updates', opens: { dialog: 'agent-updates' }, needs: 'can_update_agents' },
      { label: 'Users', opens: { dialog: 'users' }, needs: 'can_list_accounts' },
      { label: 'Roles', opens: { dialog: 'roles' }, needs: 'can_list_accounts' },
      { label: 'Global settings', opens: { dialog: 'settings' }, needs: 'can_view_core_settings' },
    ],
  },
  {
    label: 'Help',
    entries: [{ label: 'API documentation', opens: { href: '/docs/' } }],
    hiddenWhenHosted: true,
  },
]

export type MenuItem = Pick<MenuEntry, 'label' | 'opens'>

export interface Menu {
  label: string
  items: MenuItem[]
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

/** Opens a tool in a window of its own. */
export function openToolWindow({ window: path }: ToolWindow): void {
  window.open(path, '_blank', 'noopener,popup,width=1280,height=720')
}
