/** Why users who are not superusers only see the facts and results of this machine. */
export const SERVER_MACHINE_REASON =
  'This is the machine of the server. Only superusers may act on it, because its agent can read the secrets of the server.'

/** Permissions with which reading shows only what a machine reported, or what the server stores. */
const LOOKS: ReadonlySet<string> = new Set([
  'can_list_agents',
  'can_list_checks',
  'can_list_autotasks',
  'can_list_agent_history',
  'can_list_notes',
  'can_list_software',
  'can_list_pendingactions',
  'can_list_automation_policies',
  'can_manage_winupdates',
  'can_view_recordings',
  'can_use_mesh',
  'can_join_terminals',
])

/** Permissions whose buttons do something on a machine. */
const ACTS: ReadonlySet<string> = new Set([
  'can_edit_agent',
  'can_uninstall_agents',
  'can_update_agents',
  'can_reboot_agents',
  'can_send_wol',
  'can_send_cmd',
  'can_use_mesh',
  'can_use_terminal',
  'can_join_terminals',
  'can_manage_remote_access',
  'can_manage_files',
  'can_run_scripts',
  'can_manage_procs',
  'can_manage_winsvcs',
  'can_view_eventlogs',
  'can_use_registry',
  'can_manage_software',
  'can_run_checks',
  'can_manage_checks',
  'can_run_autotasks',
  'can_manage_autotasks',
  'can_manage_pendingactions',
  'can_manage_automation_policies',
])

/** Whether a button with this permission acts on the machine whose screen it is on. */
export const actsOnMachine = (permission: string): boolean => ACTS.has(permission)

/** Whether a GET with this permission only looks at a machine. */
export const onlyLooks = (permission: string): boolean => LOOKS.has(permission)
