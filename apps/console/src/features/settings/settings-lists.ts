import type { Me } from '@muster/contract/api/users'
import type { Permission } from '@muster/contract/permissions'
import { may } from '../../app/api/queries.ts'
import type { DialogName } from '../../app/dialogs/use-dialog.ts'

/** A list that belongs to the settings and has a page or a dialog of its own. */
export interface SettingsList {
  title: string
  description: string
  needs: Permission
  opens: { dialog: DialogName } | { page: '/audit' | '/maintenance' | '/users' }
}

const LISTS: readonly SettingsList[] = [
  {
    title: 'Alert channels',
    description: 'Mail servers, webhooks and chats that alerts are sent to',
    needs: 'can_view_core_settings',
    opens: { dialog: 'alert-channels' },
  },
  {
    title: 'Alert templates',
    description: 'Recipients and actions of alerts',
    needs: 'can_list_alerttemplates',
    opens: { dialog: 'alert-templates' },
  },
  {
    title: 'Escalation chains',
    description: 'Who is notified when nobody acknowledges an alert',
    needs: 'can_list_alerttemplates',
    opens: { dialog: 'escalation-chains' },
  },
  {
    title: 'On-call schedules',
    description: 'Which user is notified at what time',
    needs: 'can_list_alerttemplates',
    opens: { dialog: 'on-call-schedules' },
  },
  {
    title: 'Maintenance windows',
    description: 'Times in which machines open no alerts',
    needs: 'can_list_agents',
    opens: { page: '/maintenance' },
  },
  {
    title: 'Users',
    description: 'Accounts, passwords and sessions',
    needs: 'can_list_accounts',
    opens: { page: '/users' },
  },
  {
    title: 'Roles',
    description: 'Permissions, and the clients that users see',
    needs: 'can_list_accounts',
    opens: { dialog: 'roles' },
  },
  {
    title: 'Single sign-on',
    description: 'Identity providers (OpenID Connect) with which users sign in',
    needs: 'can_list_accounts',
    opens: { dialog: 'sso-providers' },
  },
  {
    title: 'Invitations',
    description: 'Links with which new users choose a name and a password',
    needs: 'can_manage_accounts',
    opens: { dialog: 'invitations' },
  },
  {
    title: 'API keys',
    description: 'Access of programs to the API',
    needs: 'can_list_api_keys',
    opens: { dialog: 'api-keys' },
  },
  {
    title: 'Audit log',
    description: 'Changes and actions, by user and time',
    needs: 'can_view_auditlogs',
    opens: { page: '/audit' },
  },
  {
    title: 'Backups',
    description: 'Schedule, last result and files of backups',
    needs: 'can_view_core_settings',
    opens: { dialog: 'backups' },
  },
  {
    title: 'URL actions',
    description: 'Links that menus open for a machine, a site or a client',
    needs: 'can_run_urlactions',
    opens: { dialog: 'url-actions' },
  },
  {
    title: 'Webhooks',
    description: 'Signed events for other programs, and their deliveries',
    needs: 'can_edit_core_settings',
    opens: { dialog: 'webhooks' },
  },
  {
    title: 'Key store',
    description: 'Secrets that scripts use by name',
    needs: 'can_view_global_keystore',
    opens: { dialog: 'keystore' },
  },
  {
    title: 'Custom fields',
    description: 'Extra values of clients, sites and machines',
    needs: 'can_view_customfields',
    opens: { dialog: 'custom-fields' },
  },
  {
    title: 'Tags',
    description: 'Words that mark machines',
    needs: 'can_list_agents',
    opens: { dialog: 'tags' },
  },
]

/** The lists that the user may open. */
export const visibleLists = (me: Me): SettingsList[] => LISTS.filter(({ needs }) => may(me, needs))

/** The lists whose title and description contain every word of the text. */
export function findLists(lists: readonly SettingsList[], text: string): SettingsList[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return lists.filter(({ title, description }) => {
    const all = `${title}\n${description}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
