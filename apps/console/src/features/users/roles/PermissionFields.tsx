import { Checkbox } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import { useState } from 'react'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import classes from './Roles.module.css'
import { type RoleForm, switchPermissions } from './role-form.ts'

/** The permissions of a role, in groups that can be switched as a whole. Superusers have all. */
export function PermissionFields({ form }: { form: UseFormReturnType<RoleForm> }) {
  const [search, setSearch] = useState('')
  const { is_superuser: isAll, permissions } = form.values
  const groups = findPermissions(search)
  const has = (permission: Permission) => isAll || permissions.includes(permission)
  const change = (changed: readonly Permission[], on: boolean) =>
    form.setFieldValue('permissions', switchPermissions(permissions, changed, on ? 'on' : 'off'))
  return (
    <section aria-label="Permissions">
      <div className={classes.head}>
        <h3 className={classes.title}>Permissions</h3>
        <SearchField
          label="Search permissions"
          placeholder="Terminal, scripts, alerts"
          value={search}
          onSearch={setSearch}
          className={classes.search}
          size="xs"
        />
        <span className={classes.count} role="status">
          {isAll ? 'all, as a superuser' : `${permissions.length} of ${PERMISSIONS.length}`}
        </span>
      </div>
      {groups.length === 0 && <p className={classes.note}>No permissions match the search.</p>}
      <div className={classes.groups}>
        {groups.map(({ label, permissions: ofGroup }) => {
          const count = ofGroup.filter(has).length
          return (
            <div key={label} role="group" aria-label={label} className={classes.group}>
              <Checkbox
                label={<strong>{label}</strong>}
                aria-label={`All of ${label}`}
                checked={count === ofGroup.length}
                indeterminate={count > 0 && count < ofGroup.length}
                disabled={isAll}
                onChange={({ currentTarget }) => change(ofGroup, currentTarget.checked)}
              />
              {ofGroup.map((permission) => (
                <Checkbox
                  key={permission}
                  size="xs"
                  className={classes.permission ?? ''}
                  label={permissionLabel(permission)}
                  title={permission}
                  checked={has(permission)}
                  disabled={isAll}
                  onChange={({ currentTarget }) => change([permission], currentTarget.checked)}
                />
              ))}
            </div>
          )
        })}
      </div>
    </section>
  )
}

interface PermissionGroup {
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

const LABELS: Partial<Record<Permission, string>> = {
  can_list_agents: 'See machines',
  can_edit_agent: 'Edit machines, maintenance mode, refresh inventory',
  can_uninstall_agents: 'Remove machines',
  can_install_agents: 'Install agents',
  can_update_agents: 'Update agents, pause and pin updates',
  can_reboot_agents: 'Reboot and shut down',
  can_send_wol: 'Wake on LAN',
  can_send_cmd: 'Send commands',
  can_list_agent_history: 'See the history of machines with its output',
  can_use_mesh: 'Take Control and VNC',
  can_use_terminal: 'Terminal',
  can_join_terminals: "Watch or type into a colleague's terminal",
  can_use_registry: 'Registry of Windows: read and change',
  can_view_recordings: 'See sessions and play recordings',
  can_manage_remote_access: 'Change remote access settings',
  can_manage_files: 'Files: read, change, upload, download',
  can_manage_procs: 'Processes: see, end, priority',
  can_view_eventlogs: 'Read logs of machines',
  can_list_deployments: 'See deployments and their addresses',
  can_manage_deployments: 'Create and delete deployments',
  can_list_sites: 'Read sites through the API; the tree needs “See clients”',
  can_manage_winsvcs: 'Services: see, start, stop',
  can_list_software: 'See installed software',
  can_manage_software: 'Install packages (on screen: VNC servers only), refresh the software list',
  can_manage_winupdates: 'Patches: see, scan for, approve, install',
  can_run_scripts: 'Run scripts, with the allowed keys of the key store',
  can_run_server_scripts: 'Run and approve scripts on the server',
  can_manage_scripts: 'Change scripts; scripts in use also need “Run scripts”',
  can_list_autotasks: 'See tasks',
  can_manage_checks: 'Change checks; script checks also need “Run scripts”',
  can_manage_autotasks: 'Change tasks; commands and scripts need their own permissions',
  can_run_autotasks: 'Run tasks now',
  can_list_automation_policies: 'See policies',
  can_manage_automation_policies: 'Change and assign policies; their content needs its own permissions',
  can_list_alerttemplates: 'See alert templates',
  can_manage_alerttemplates: 'Change alert templates',
  can_view_auditlogs: 'Read the audit log',
  can_list_pendingactions: 'See pending actions',
  can_manage_pendingactions: 'Cancel pending actions',
  can_list_accounts: 'See users, roles and sessions',
  can_manage_accounts: 'Change users, end sessions',
  can_view_core_settings: 'See global settings',
  can_edit_core_settings: 'Change global settings',
  can_view_customfields: 'See custom fields',
  can_manage_customfields: 'Change custom fields',
  can_view_global_keystore: 'See the names in the key store',
  can_edit_global_keystore: 'Change the key store and the roles of its keys',
}

const VERBS: Record<string, string> = { list: 'See', view: 'See', manage: 'Change', edit: 'Change' }

/** Label of a permission; unknown ones get a label from their name. */
export function permissionLabel(permission: Permission): string {
  const written = LABELS[permission]
  if (written !== undefined) return written
  const [verb = '', ...noun] = permission.replace(/^can_/, '').split('_')
  return `${VERBS[verb] ?? `${verb[0]?.toUpperCase() ?? ''}${verb.slice(1)}`} ${noun.join(' ')}`
}

export const PERMISSION_GROUPS: readonly PermissionGroup[] = [
  ...Map.groupBy(PERMISSIONS, (name) => GROUPS.find(({ of }) => of.test(name))?.label ?? CORE),
]
  .map(([label, permissions]) => ({ label, permissions }))
  .toSorted((a, b) => orderOf(a.label) - orderOf(b.label))

function orderOf(label: string): number {
  const known = ['Agents', ...GROUPS.map((group) => group.label)].indexOf(label)
  return known === -1 ? GROUPS.length + 1 : known
}

/** The groups with the permissions whose name, label or group contain all words. */
export function findPermissions(search: string): readonly PermissionGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return PERMISSION_GROUPS
  return PERMISSION_GROUPS.flatMap(({ label, permissions }) => {
    const found = permissions.filter((permission) => {
      const text = `${label}\n${permission}\n${permissionLabel(permission)}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    return found.length === 0 ? [] : [{ label, permissions: found }]
  })
}
