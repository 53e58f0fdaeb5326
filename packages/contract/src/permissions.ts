/**
 * Every permission that an endpoint may require. The names are those of the field's role flags, so that roles can be
 * migrated.
 */
export const PERMISSIONS = [
  'can_list_agents',
  'can_edit_agent',
  'can_uninstall_agents',
  'can_install_agents',
  'can_update_agents',
  'can_reboot_agents',
  'can_send_wol',
  'can_send_cmd',
  'can_use_mesh',
  'can_use_terminal',
  'can_join_terminals',
  'can_view_recordings',
  'can_manage_remote_access',
  'can_manage_files',
  'can_run_scripts',
  'can_manage_procs',
  'can_manage_winsvcs',
  'can_view_eventlogs',
  'can_use_registry',
  'can_list_software',
  'can_manage_software',
  'can_manage_winupdates',
  'can_run_server_scripts',
  'can_list_agent_history',
  'can_list_notes',
  'can_manage_notes',
  'can_list_clients',
  'can_manage_clients',
  'can_list_sites',
  'can_manage_sites',
  'can_list_deployments',
  'can_manage_deployments',
  'can_list_checks',
  'can_manage_checks',
  'can_run_checks',
  'can_list_autotasks',
  'can_manage_autotasks',
  'can_run_autotasks',
  'can_list_alerts',
  'can_manage_alerts',
  'can_list_automation_policies',
  'can_manage_automation_policies',
  'can_list_alerttemplates',
  'can_manage_alerttemplates',
  'can_list_scripts',
  'can_manage_scripts',
  'can_view_auditlogs',
  'can_list_pendingactions',
  'can_manage_pendingactions',
  'can_list_accounts',
  'can_manage_accounts',
  'can_list_api_keys',
  'can_manage_api_keys',
  'can_view_core_settings',
  'can_edit_core_settings',
  'can_run_urlactions',
  'can_view_customfields',
  'can_manage_customfields',
  'can_view_global_keystore',
  'can_edit_global_keystore',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/**
 * Who may call an endpoint: `public` anyone; `any-session` any session or key; `password-change` any complete one, and
 * sessions that must change the password; `totp-setup` any complete one, and sessions that must set up TOTP; `signed-in`
 * any complete session or key; otherwise the permission that the caller's role must have.
 */
export type Access = 'public' | 'any-session' | 'password-change' | 'totp-setup' | 'signed-in' | Permission

export function isPermission(access: Access): access is Permission {
  return access.startsWith('can_')
}
