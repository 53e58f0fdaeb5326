import type { AuditAction, AuditObject } from '@muster/contract/api/audit'

/** Labels of the actions. */
export const ACTION_LABELS: Record<AuditAction, string> = {
  login: 'Sign-in',
  failed_login: 'Failed sign-in',
  logout: 'Sign-out',
  add: 'Added',
  modify: 'Changed',
  delete: 'Deleted',
  view: 'Viewed',
  agent_install: 'Agent installed',
  execute_script: 'Script run',
  execute_command: 'Command run',
  task_run: 'Task run',
  bulk_action: 'Bulk action',
  remote_session: 'Remote session',
}

/** Labels of the objects. */
export const OBJECT_LABELS: Record<AuditObject, string> = {
  user: 'User',
  session: 'Session',
  role: 'Role',
  script: 'Script',
  snippet: 'Snippet',
  keystore: 'Key store',
  customfield: 'Custom field',
  check: 'Check',
  automatedtask: 'Task',
  alert: 'Alert',
  alerttemplate: 'Alert template',
  agent: 'Agent',
  process: 'Process',
  service: 'Service',
  log: 'Log',
  file: 'File',
  software: 'Software',
  winupdate: 'Patch',
  client: 'Client',
  site: 'Site',
  note: 'Note',
  maintenance: 'Maintenance window',
  policy: 'Policy',
  coresettings: 'Settings',
  webterminal: 'Web terminal',
  registry: 'Registry',
  bulk: 'Bulk action',
}
