import { type Permission, PERMISSIONS } from './permissions.ts'

/** The label of each permission, and what it allows. */
export const PERMISSION_TEXTS: Record<Permission, readonly [label: string, text: string]> = {
  can_list_agents: ['See machines', 'Shows machines, their status and their inventory.'],
  can_edit_agent: [
    'Edit machines',
    'Changes names, sites and tags, sets maintenance mode, refreshes inventory.',
  ],
  can_uninstall_agents: ['Remove machines', 'Uninstalls the agent and deletes the machine.'],
  can_install_agents: ['Install agents', 'Creates install commands and packages.'],
  can_update_agents: ['Update agents', 'Updates agents, pauses and pins updates.'],
  can_reboot_agents: ['Reboot and shut down', 'Restarts machines and switches them off, now or later.'],
  can_send_wol: ['Wake on LAN', 'Wakes machines through connected machines of their site.'],
  can_send_cmd: ['Send commands', 'Runs any command on machines.'],
  can_use_mesh: ['Take Control and VNC', 'Sees and controls the desktop of machines.'],
  can_use_terminal: ['Terminal', 'Opens a shell on machines.'],
  can_join_terminals: ['Join terminals', "Watches or types into a colleague's terminal."],
  can_view_recordings: ['See recordings', 'Lists remote sessions and plays their recordings.'],
  can_manage_remote_access: [
    'Change remote access',
    'Changes consent, recording and other remote access settings.',
  ],
  can_manage_files: ['Files', 'Reads, changes, uploads and downloads files of machines.'],
  can_run_scripts: ['Run scripts', 'Runs scripts on machines, with the allowed keys of the key store.'],
  can_manage_procs: ['Processes', 'Lists and ends processes, and changes their priority.'],
  can_manage_winsvcs: ['Services', 'Lists, starts and stops services, and changes when they start.'],
  can_view_eventlogs: ['Read machine logs', 'Reads the event logs of machines.'],
  can_use_registry: ['Registry', 'Reads and changes the registry of Windows.'],
  can_list_software: ['See software', 'Shows installed software.'],
  can_manage_software: ['Change software', 'Installs and removes software, and uploads package files.'],
  can_manage_winupdates: ['Patches', 'Lists, scans for, approves and installs patches.'],
  can_run_server_scripts: ['Server scripts', 'Runs and approves scripts on this server.'],
  can_list_agent_history: ['See history', 'Shows commands and scripts that ran, with their output.'],
  can_list_notes: ['See notes', 'Reads the notes of machines.'],
  can_manage_notes: ['Change notes', 'Adds, changes and deletes notes of machines.'],
  can_list_clients: ['See clients', 'Shows the tree of clients and sites.'],
  can_manage_clients: [
    'Change clients',
    'Adds, changes and deletes clients. A limited role sees those it adds.',
  ],
  can_list_sites: ['See sites through the API', 'Reads sites through the API. The tree needs “See clients”.'],
  can_manage_sites: ['Change sites', 'Adds, changes and deletes sites.'],
  can_list_deployments: ['See deployments', 'Shows deployments and their links, which install agents.'],
  can_manage_deployments: ['Change deployments', 'Creates and deletes deployments.'],
  can_list_checks: ['See checks', 'Shows checks and their results.'],
  can_manage_checks: ['Change checks', 'Adds and changes checks. Script checks also need “Run scripts”.'],
  can_run_checks: ['Run checks', 'Runs checks now.'],
  can_list_autotasks: ['See tasks', 'Shows tasks and their results.'],
  can_manage_autotasks: [
    'Change tasks',
    'Adds and changes tasks. Commands and scripts need their own permissions.',
  ],
  can_run_autotasks: ['Run tasks', 'Runs tasks now.'],
  can_list_alerts: ['See alerts', 'Shows alerts.'],
  can_manage_alerts: ['Change alerts', 'Acknowledges, snoozes and resolves alerts.'],
  can_list_automation_policies: ['See policies', 'Shows policies and where they are assigned.'],
  can_manage_automation_policies: [
    'Change policies',
    'Changes and assigns policies. Their content needs its own permissions.',
  ],
  can_list_alerttemplates: ['See alert templates', 'Shows alert templates.'],
  can_manage_alerttemplates: [
    'Change alert templates',
    'Adds, changes, assigns and deletes alert templates.',
  ],
  can_list_scripts: ['See scripts', 'Shows scripts and their code.'],
  can_manage_scripts: ['Change scripts', 'Adds and changes scripts. Scripts in use also need “Run scripts”.'],
  can_view_auditlogs: ['Read the audit log', 'Shows which user changed or ran what.'],
  can_list_pendingactions: ['See pending actions', 'Shows planned restarts and other waiting actions.'],
  can_manage_pendingactions: ['Cancel pending actions', 'Cancels actions that have not run yet.'],
  can_list_accounts: ['See users', 'Shows users, roles and sessions.'],
  can_manage_accounts: ['Change users', 'Invites, changes and blocks users, and ends their sessions.'],
  can_list_api_keys: ['See API keys', 'Shows API keys and their last use, not the key itself.'],
  can_manage_api_keys: ['Change API keys', 'Creates, changes, rotates and deletes API keys.'],
  can_view_core_settings: ['See global settings', 'Shows the settings of the server.'],
  can_edit_core_settings: ['Change global settings', 'Changes the settings of the server for all clients.'],
  can_run_urlactions: ['URL actions', 'Shows and opens URL actions of machines, sites and clients.'],
  can_view_customfields: ['See custom fields', 'Shows the definitions of custom fields.'],
  can_manage_customfields: ['Change custom fields', 'Adds, changes and deletes custom fields.'],
  can_view_global_keystore: ['See key names', 'Shows the names in the key store, not the values.'],
  can_edit_global_keystore: ['Change the key store', 'Changes keys and the roles that may use them.'],
}

export function permissionLabel(permission: Permission): string {
  return PERMISSION_TEXTS[permission][0]
}

export interface PermissionGroup {
  label: string
  permissions: readonly Permission[]
}

/** Groups in display order; within a group the contract's order. */
const GROUPS: readonly { label: string; of: RegExp }[] = [
  { label: 'Accounts', of: /_(accounts|roles|api_keys)$/ },
  {
    label: 'Remote tools',
    of: /_(mesh|terminals?|webterm|recordings|remote_access|files|registry|procs|eventlogs)$/,
  },
  { label: 'Services, software and patches', of: /_(winsvcs|software|winupdates)$/ },
  { label: 'Clients', of: /_(clients|sites|deployments)$/ },
  { label: 'Checks', of: /_checks$/ },
  { label: 'Tasks', of: /_autotasks$/ },
  { label: 'Automation', of: /_automation_policies$/ },
  { label: 'Alerts', of: /_(alerts|alerttemplates)$/ },
  { label: 'Scripts', of: /_(scripts|server_scripts)$/ },
  { label: 'Logs', of: /_(auditlogs|debuglogs|pendingactions)$/ },
  { label: 'Agents', of: /_(agents?|agent_history|wol|cmd|notes|bulk)$/ },
]

/** Permissions outside all groups. */
const CORE = 'Core'

export const PERMISSION_GROUPS: readonly PermissionGroup[] = [
  ...Map.groupBy(PERMISSIONS, (name) => GROUPS.find(({ of }) => of.test(name))?.label ?? CORE),
]
  .map(([label, permissions]) => ({ label, permissions }))
  .toSorted((a, b) => orderOf(a.label) - orderOf(b.label))

function orderOf(label: string): number {
  const known = ['Agents', ...GROUPS.map((group) => group.label)].indexOf(label)
  return known === -1 ? GROUPS.length + 1 : known
}

/** Permissions that hand over machines, secrets or other users' rights, with the reason. */
export const PERMISSION_RISKS: Partial<Record<Permission, string>> = {
  can_send_cmd: 'Full control of machines: commands run as root or SYSTEM.',
  can_use_terminal: 'Full control of machines: the shell runs as root or SYSTEM.',
  can_run_scripts: 'Full control of machines: scripts run as root or SYSTEM.',
  can_manage_files: 'Reads and replaces any file of machines.',
  can_use_registry: 'Changes what Windows starts, and its security settings.',
  can_use_mesh: 'Sees and uses what is on the screen of machines.',
  can_view_recordings: 'Shows what was on the screens of machines.',
  can_manage_remote_access: 'Can switch off consent and recording.',
  can_manage_software: 'Installs any program, as root or SYSTEM.',
  can_uninstall_agents: 'Deletes machines with their history.',
  can_reboot_agents: 'Can switch off machines that users need.',
  can_manage_automation_policies: 'Changes many machines at once.',
  can_manage_scripts: 'Changes code that machines run.',
  can_run_server_scripts: 'Runs code on this server, which controls all machines.',
  can_manage_accounts: 'Gives others the same rights, and resets their passwords.',
  can_manage_api_keys: 'Creates keys that work without signing in.',
  can_edit_core_settings: 'Changes where alerts are sent and, with all clients, security settings.',
  can_edit_global_keystore: 'Changes secrets, and who may use them.',
}

/** Permissions without effect in a role that is limited to some clients: their changes concern every client. */
export const NEEDS_ALL_CLIENTS: readonly Permission[] = [
  'can_run_server_scripts',
  'can_manage_alerttemplates',
  'can_manage_scripts',
  'can_manage_customfields',
  'can_edit_global_keystore',
]
