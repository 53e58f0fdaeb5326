import type { ComponentType, LazyExoticComponent } from 'react'
import { lazyPart } from '../shell/lazy-part.ts'

export interface AddressedDialogProps {
  /** The subject of the dialog: `?dialog=edit-client&item=3`. */
  item: string | undefined
  close: () => void
}

/**
 * Dialogs with an address, so that a copied link opens them. A feature adds its own here. The menu bar, the palette
 * and the links show only dialogs of this table.
 */
const DIALOG_LOADERS = {
  preferences: () =>
    import('../../features/users/PreferencesDialog.tsx').then((file) => file.PreferencesDialog),
  'reset-password': () =>
    import('../../features/users/ResetPasswordDialog.tsx').then((file) => file.ResetPasswordDialog),
  'reset-2fa': () => import('../../features/users/ResetTotpDialog.tsx').then((file) => file.ResetTotpDialog),
  sessions: () =>
    import('../../features/users/sessions/SessionsDialog.tsx').then((file) => file.SessionsDialog),
  'add-client': () => import('../../features/clients/ClientDialog.tsx').then((file) => file.AddClientDialog),
  'edit-client': () =>
    import('../../features/clients/ClientDialog.tsx').then((file) => file.EditClientDialog),
  'remove-client': () =>
    import('../../features/clients/RemoveDialogs.tsx').then((file) => file.RemoveClientDialog),
  'add-site': () => import('../../features/clients/SiteDialog.tsx').then((file) => file.AddSiteDialog),
  'edit-site': () => import('../../features/clients/SiteDialog.tsx').then((file) => file.EditSiteDialog),
  'remove-site': () =>
    import('../../features/clients/RemoveDialogs.tsx').then((file) => file.RemoveSiteDialog),
  'install-agent': () =>
    import('../../features/installers/InstallAgentDialog.tsx').then((file) => file.InstallAgentDialog),
  'edit-agent': () =>
    import('../../features/agents/EditAgentDialog.tsx').then((file) => file.EditAgentDialog),
  'remove-agent': () =>
    import('../../features/agents/RemoveAgentDialog.tsx').then((file) => file.RemoveAgentDialog),
  vnc: () => import('../../features/remote/desktop/VncDialog.tsx').then((file) => file.VncDialog),
  reboot: () => import('../../features/power/PowerDialogs.tsx').then((file) => file.RebootDialog),
  'reboot-later': () =>
    import('../../features/power/RebootLaterDialog.tsx').then((file) => file.RebootLaterDialog),
  'pending-actions': () =>
    import('../../features/power/pending-actions/PendingActionsDialog.tsx').then(
      (file) => file.PendingActionsDialog,
    ),
  'shut-down': () => import('../../features/power/PowerDialogs.tsx').then((file) => file.ShutDownDialog),
  'send-command': () =>
    import('../../features/runs/SendCommandDialog.tsx').then((file) => file.SendCommandDialog),
  'run-script': () => import('../../features/runs/RunScriptDialog.tsx').then((file) => file.RunScriptDialog),
  'add-note': () => import('../../features/notes/NoteDialog.tsx').then((file) => file.AddNoteDialog),
  'edit-note': () => import('../../features/notes/NoteDialog.tsx').then((file) => file.EditNoteDialog),
  'add-check': () => import('../../features/checks/CheckDialogs.tsx').then((file) => file.AddCheckDialog),
  'edit-check': () => import('../../features/checks/CheckDialogs.tsx').then((file) => file.EditCheckDialog),
  'remove-check': () =>
    import('../../features/checks/RemoveCheckDialog.tsx').then((file) => file.RemoveCheckDialog),
  'check-history': () =>
    import('../../features/checks/CheckHistoryDialog.tsx').then((file) => file.CheckHistoryDialog),
  compare: () => import('../../features/metrics/CompareDialog.tsx').then((file) => file.CompareDialog),
  'side-by-side': () =>
    import('../../features/remote/SideBySideDialog.tsx').then((file) => file.SideBySideDialog),
  'assign-policies': () =>
    import('../../features/policies/AssignPoliciesDialog.tsx').then((file) => file.AssignPoliciesDialog),
  'why-check': () => import('../../features/policies/WhyDialog.tsx').then((file) => file.WhyCheckDialog),
  'why-task': () => import('../../features/policies/WhyDialog.tsx').then((file) => file.WhyTaskDialog),
  'policy-status': () =>
    import('../../features/policies/PolicyStatusDialog.tsx').then((file) => file.PolicyStatusDialog),
  'policy-inheritance': () =>
    import('../../features/policies/InheritanceDialog.tsx').then((file) => file.InheritanceDialog),
  'add-task': () => import('../../features/tasks/TaskDialogs.tsx').then((file) => file.AddTaskDialog),
  'edit-task': () => import('../../features/tasks/TaskDialogs.tsx').then((file) => file.EditTaskDialog),
  'remove-task': () =>
    import('../../features/tasks/RemoveTaskDialog.tsx').then((file) => file.RemoveTaskDialog),
  'task-runs': () => import('../../features/tasks/TaskRunsDialog.tsx').then((file) => file.TaskRunsDialog),
  availability: () =>
    import('../../features/alerts/AvailabilityDialog.tsx').then((file) => file.AvailabilityDialog),
  alert: () => import('../../features/alerts/AlertDialog.tsx').then((file) => file.AlertDialog),
  maintenance: () =>
    import('../../features/maintenance/WindowDialogs.tsx').then((file) => file.AddMaintenanceDialog),
  'edit-maintenance': () =>
    import('../../features/maintenance/WindowDialogs.tsx').then((file) => file.EditMaintenanceDialog),
  'open-maintenance': () =>
    import('../../features/maintenance/OpenMaintenanceDialog.tsx').then((file) => file.OpenMaintenanceDialog),
  'maintenance-windows': () =>
    import('../../features/maintenance/WindowsDialog.tsx').then((file) => file.WindowsDialog),
  'remote-access': () =>
    import('../../features/remote/access/RemoteAccessDialog.tsx').then((file) => file.RemoteAccessDialog),
  'alert-channels': () =>
    import('../../features/alerts/channels/ChannelsDialog.tsx').then((file) => file.ChannelsDialog),
  'alert-channel': () =>
    import('../../features/alerts/channels/ChannelDialog.tsx').then((file) => file.ChannelDialog),
  'alert-templates': () =>
    import('../../features/alerts/templates/TemplatesDialog.tsx').then((file) => file.TemplatesDialog),
  'alert-template': () =>
    import('../../features/alerts/templates/TemplateDialog.tsx').then((file) => file.TemplateDialog),
  'assign-template': () =>
    import('../../features/alerts/templates/AssignDialog.tsx').then((file) => file.AssignDialog),
  'alert-preview': () =>
    import('../../features/alerts/templates/PreviewDialog.tsx').then((file) => file.PreviewDialog),
  scripts: () => import('../../features/scripts/ScriptsDialog.tsx').then((file) => file.ScriptsDialog),
  script: () => import('../../features/scripts/ScriptDialog.tsx').then((file) => file.ScriptDialog),
  'script-versions': () =>
    import('../../features/scripts/VersionsDialog.tsx').then((file) => file.VersionsDialog),
  snippets: () =>
    import('../../features/scripts/snippets/SnippetsDialog.tsx').then((file) => file.SnippetsDialog),
  snippet: () =>
    import('../../features/scripts/snippets/SnippetDialog.tsx').then((file) => file.SnippetDialog),
  'custom-fields': () =>
    import('../../features/custom-fields/FieldsDialog.tsx').then((file) => file.FieldsDialog),
  'custom-field': () =>
    import('../../features/custom-fields/FieldDialog.tsx').then((file) => file.FieldDialog),
  keystore: () => import('../../features/keystore/KeyStoreDialog.tsx').then((file) => file.KeyStoreDialog),
  key: () => import('../../features/keystore/KeyDialog.tsx').then((file) => file.KeyDialog),
  users: () => import('../../features/users/accounts/UsersDialog.tsx').then((file) => file.UsersDialog),
  user: () => import('../../features/users/accounts/UserDialog.tsx').then((file) => file.UserDialog),
  roles: () => import('../../features/users/roles/RolesDialog.tsx').then((file) => file.RolesDialog),
  role: () => import('../../features/users/roles/RoleDialog.tsx').then((file) => file.RoleDialog),
  settings: () => import('../../features/settings/SettingsDialog.tsx').then((file) => file.SettingsDialog),
  audit: () => import('../../features/audit/AuditDialog.tsx').then((file) => file.AuditDialog),
} satisfies Record<string, () => Promise<ComponentType<AddressedDialogProps>>>

export type DialogName = keyof typeof DIALOG_LOADERS

export function isDialogName(name: string | undefined): name is DialogName {
  return name !== undefined && Object.hasOwn(DIALOG_LOADERS, name)
}

export function dialogComponent(name: DialogName): LazyExoticComponent<ComponentType<AddressedDialogProps>> {
  const known = components.get(name)
  if (known) return known
  const component = lazyPart<AddressedDialogProps>(DIALOG_LOADERS[name])
  components.set(name, component)
  return component
}

const components = new Map<DialogName, LazyExoticComponent<ComponentType<AddressedDialogProps>>>()
