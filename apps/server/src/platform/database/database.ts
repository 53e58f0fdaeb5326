import type { Kysely, Transaction } from 'kysely'
import type {
  AgentFactsTable,
  AgentUpdatesTable,
  AgentsTable,
  DeploymentsTable,
  EnrolTokensTable,
  MachineChangesTable,
  MaintenancePeriodsTable,
  MaintenanceTargetsTable,
  MaintenanceWindowsTable,
  NotesTable,
  ProcessesTable,
  UpdateRolloutsTable,
  UpdateSettingsTable,
} from './tables/agents.ts'
import type {
  AlertActionsTable,
  AlertChannelsTable,
  AlertLinksTable,
  AlertLogTable,
  AlertNoticesTable,
  AlertsTable,
  AlertTemplatesTable,
} from './tables/alerts.ts'
import type { AuditLogTable, SettingsTable } from './tables/audit.ts'
import type {
  CheckResultsTable,
  ChecksTable,
  CheckTransitionsTable,
  DiskForecastsTable,
  DroppedResultsTable,
  SampleBatchesTable,
  SampleChunksTable,
  SeriesTable,
  ServerCheckRunsTable,
} from './tables/checks.ts'
import type {
  ClientsTable,
  CustomFieldsTable,
  CustomFieldValuesTable,
  KeyStoreRolesTable,
  KeyStoreTable,
  SitesTable,
} from './tables/clients.ts'
import type {
  AlertEscalationsTable,
  EscalationChainsTable,
  EscalationNotificationsTable,
  OnCallSchedulesTable,
} from './tables/escalations.ts'
import type {
  FleetJobAgentsTable,
  FleetJobLogTable,
  FleetJobsTable,
  RepeatingJobsTable,
} from './tables/fleet-jobs.ts'
import type {
  AgentHistoryTable,
  HistoryOutputTable,
  JobsTable,
  OutputDaysTable,
  PendingActionsTable,
} from './tables/history.ts'
import type {
  PoliciesTable,
  PolicyExclusionsTable,
  PolicyTargetsTable,
  PolicyVersionsTable,
} from './tables/policies.ts'
import type {
  RemoteAccessTable,
  SessionChangesTable,
  RemoteRecordingsTable,
  RemoteSessionsTable,
  WebTerminalsTable,
} from './tables/remote.ts'
import type {
  ScriptSnippetsTable,
  ScriptsTable,
  ScriptVersionsTable,
  ServerScriptApprovalsTable,
} from './tables/scripts.ts'
import type {
  MachinePatchesTable,
  InstalledPatchesTable,
  MachinePatchPoliciesTable,
  MachinePatchVersionsTable,
  PatchDaysTable,
  PatchInstallsTable,
  PatchVersionsTable,
  RingPatchesTable,
  MachineSoftwareTable,
  SoftwareInventoriesTable,
  MachineSoftwarePoliciesTable,
  PackageFilePartsTable,
  PackageFilesTable,
  SoftwarePackagesTable,
} from './tables/software.ts'
import type {
  SsoAccountsTable,
  SsoAttemptsTable,
  SsoProviderRolesTable,
  SsoProvidersTable,
} from './tables/sso.ts'
import type { AgentTagsTable, ClientTagsTable, RuleTagsTable, TagsTable } from './tables/tags.ts'
import type { TaskResultsTable, TaskRunsTable, TaskScriptsTable, TasksTable } from './tables/tasks.ts'
import type { UrlActionsTable } from './tables/url-actions.ts'
import type { MachineViewsTable } from './tables/views.ts'
import type { WebhookDeliveriesTable, WebhookOfflineTable, WebhooksTable } from './tables/webhooks.ts'
import type {
  ApiKeyClientsTable,
  ApiKeysTable,
  IdempotencyKeysTable,
  InvitationsTable,
  PasskeyChallengesTable,
  PasskeysTable,
  PushSubscriptionsTable,
  RecoveryCodesTable,
  RoleClientsTable,
  RoleSitesTable,
  RolesTable,
  SessionsTable,
  SocketTicketsTable,
  ThrottlesTable,
  UsersTable,
} from './tables/users.ts'

/** Every table. Queries take `Db`, so they run inside and outside a transaction. */
export interface Database {
  users: UsersTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_offline: WebhookOfflineTable
  api_keys: ApiKeysTable
  invitations: InvitationsTable
  passkeys: PasskeysTable
  passkey_challenges: PasskeyChallengesTable
  sso_providers: SsoProvidersTable
  sso_provider_roles: SsoProviderRolesTable
  sso_accounts: SsoAccountsTable
  sso_attempts: SsoAttemptsTable
  api_key_clients: ApiKeyClientsTable
  roles: RolesTable
  role_clients: RoleClientsTable
  role_sites: RoleSitesTable
  recovery_codes: RecoveryCodesTable
  sessions: SessionsTable
  push_subscriptions: PushSubscriptionsTable
  throttles: ThrottlesTable
  socket_tickets: SocketTicketsTable
  idempotency_keys: IdempotencyKeysTable
  clients: ClientsTable
  sites: SitesTable
  agents: AgentsTable
  agent_facts: AgentFactsTable
  agent_updates: AgentUpdatesTable
  update_rollouts: UpdateRolloutsTable
  update_settings: UpdateSettingsTable
  enrol_tokens: EnrolTokensTable
  deployments: DeploymentsTable
  processes: ProcessesTable
  agent_notes: NotesTable
  tags: TagsTable
  agent_tags: AgentTagsTable
  rule_tags: RuleTagsTable
  client_tags: ClientTagsTable
  machine_views: MachineViewsTable
  url_actions: UrlActionsTable
  agent_history: AgentHistoryTable
  history_output: HistoryOutputTable
  output_days: OutputDaysTable
  fleet_jobs: FleetJobsTable
  fleet_job_agents: FleetJobAgentsTable
  fleet_job_log: FleetJobLogTable
  repeating_jobs: RepeatingJobsTable
  pending_actions: PendingActionsTable
  scripts: ScriptsTable
  script_snippets: ScriptSnippetsTable
  script_versions: ScriptVersionsTable
  server_script_approvals: ServerScriptApprovalsTable
  key_store: KeyStoreTable
  key_store_roles: KeyStoreRolesTable
  custom_fields: CustomFieldsTable
  custom_field_values: CustomFieldValuesTable
  checks: ChecksTable
  check_results: CheckResultsTable
  check_transitions: CheckTransitionsTable
  dropped_results: DroppedResultsTable
  server_check_runs: ServerCheckRunsTable
  series: SeriesTable
  sample_batches: SampleBatchesTable
  sample_chunks: SampleChunksTable
  disk_forecasts: DiskForecastsTable
  tasks: TasksTable
  task_scripts: TaskScriptsTable
  task_results: TaskResultsTable
  task_runs: TaskRunsTable
  alerts: AlertsTable
  alert_log: AlertLogTable
  alert_channels: AlertChannelsTable
  alert_notices: AlertNoticesTable
  alert_templates: AlertTemplatesTable
  alert_actions: AlertActionsTable
  alert_links: AlertLinksTable
  alert_escalations: AlertEscalationsTable
  escalation_chains: EscalationChainsTable
  escalation_notifications: EscalationNotificationsTable
  on_call_schedules: OnCallSchedulesTable
  maintenance_windows: MaintenanceWindowsTable
  maintenance_targets: MaintenanceTargetsTable
  maintenance_periods: MaintenancePeriodsTable
  machine_changes: MachineChangesTable
  remote_sessions: RemoteSessionsTable
  remote_recordings: RemoteRecordingsTable
  web_terminals: WebTerminalsTable
  remote_receipts: SessionChangesTable
  remote_access: RemoteAccessTable
  software_packages: SoftwarePackagesTable
  machine_software: MachineSoftwareTable
  machine_software_policies: MachineSoftwarePoliciesTable
  package_files: PackageFilesTable
  package_file_parts: PackageFilePartsTable
  software_inventories: SoftwareInventoriesTable
  machine_patches: MachinePatchesTable
  patch_versions: PatchVersionsTable
  machine_patch_versions: MachinePatchVersionsTable
  patch_days: PatchDaysTable
  installed_patches: InstalledPatchesTable
  machine_patch_policies: MachinePatchPoliciesTable
  patch_installs: PatchInstallsTable
  ring_patches: RingPatchesTable
  policies: PoliciesTable
  policy_targets: PolicyTargetsTable
  policy_exclusions: PolicyExclusionsTable
  policy_versions: PolicyVersionsTable
  audit_log: AuditLogTable
  settings: SettingsTable
  jobs: JobsTable
}

export type Db = Kysely<Database> | Transaction<Database>
