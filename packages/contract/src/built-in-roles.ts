import { type Permission, PERMISSIONS } from './permissions.ts'

/** From fewest to most rights: each has the rights of those before it. */
export const BUILT_IN_ROLES = ['read_only', 'technician', 'client_admin', 'administrator'] as const
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number]

interface BuiltInRoleText {
  name: string
  description: string
}
export const BUILT_IN_ROLE_TEXTS: Record<BuiltInRole, BuiltInRoleText> = {
  read_only: { name: 'Read only', description: 'Sees machines and their monitoring. Changes nothing.' },
  technician: {
    name: 'Technician',
    description: 'Works on machines: remote tools, scripts, checks, tasks, patches, alerts.',
  },
  client_admin: {
    name: 'Client admin',
    description: 'Template: a technician who also manages sites, for the clients you choose.',
  },
  administrator: { name: 'Administrator', description: 'Has all permissions and sees all clients.' },
}

/** A role that is copied for chosen clients, and that no user has. Without clients it would see all of them. */
export const isTemplateRole = (role: string | null): boolean => role === 'client_admin'

/**
 * The least built-in role with a permission. What reaches all clients (policies, scripts, templates, accounts, settings)
 * or gives secrets away belongs to administrators.
 */
const MIN_ROLE: Record<Permission, BuiltInRole> = {
  can_list_agents: 'read_only',
  can_list_software: 'read_only',
  can_list_agent_history: 'read_only',
  can_list_notes: 'read_only',
  can_view_eventlogs: 'read_only',
  can_list_clients: 'read_only',
  can_list_sites: 'read_only',
  can_list_checks: 'read_only',
  can_list_autotasks: 'read_only',
  can_list_alerts: 'read_only',
  can_list_automation_policies: 'read_only',
  can_list_alerttemplates: 'read_only',
  can_list_scripts: 'read_only',
  can_list_pendingactions: 'read_only',
  can_view_customfields: 'read_only',

  can_edit_agent: 'technician',
  can_install_agents: 'technician',
  can_update_agents: 'technician',
  can_reboot_agents: 'technician',
  can_send_wol: 'technician',
  can_send_cmd: 'technician',
  can_use_mesh: 'technician',
  can_use_terminal: 'technician',
  can_join_terminals: 'technician',
  can_manage_files: 'technician',
  can_run_scripts: 'technician',
  can_manage_procs: 'technician',
  can_manage_winsvcs: 'technician',
  can_use_registry: 'technician',
  can_manage_software: 'technician',
  can_manage_winupdates: 'technician',
  can_manage_notes: 'technician',
  can_manage_checks: 'technician',
  can_run_checks: 'technician',
  can_manage_autotasks: 'technician',
  can_run_autotasks: 'technician',
  can_manage_alerts: 'technician',
  can_manage_pendingactions: 'technician',
  can_run_urlactions: 'technician',

  can_uninstall_agents: 'client_admin',
  can_view_recordings: 'client_admin',
  can_manage_sites: 'client_admin',
  can_list_deployments: 'client_admin',
  can_manage_deployments: 'client_admin',

  // New clients would widen a limited role.
  can_manage_clients: 'administrator',
  can_manage_remote_access: 'administrator',
  can_run_server_scripts: 'administrator',
  can_manage_automation_policies: 'administrator',
  can_manage_alerttemplates: 'administrator',
  can_manage_scripts: 'administrator',
  can_view_auditlogs: 'administrator',
  can_list_accounts: 'administrator',
  can_manage_accounts: 'administrator',
  can_list_api_keys: 'administrator',
  can_manage_api_keys: 'administrator',
  can_view_core_settings: 'administrator',
  can_edit_core_settings: 'administrator',
  can_manage_customfields: 'administrator',
  can_view_global_keystore: 'administrator',
  can_edit_global_keystore: 'administrator',
}

/** The permissions of a built-in role, in the contract's order. */
export function permissionsOfBuiltIn(role: BuiltInRole): Permission[] {
  const rank = BUILT_IN_ROLES.indexOf(role)
  return PERMISSIONS.filter((permission) => BUILT_IN_ROLES.indexOf(MIN_ROLE[permission]) <= rank)
}
