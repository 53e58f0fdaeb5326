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
  MachineSoftwareTable,
  SoftwareInventoriesTable,
  SoftwarePackagesTable,
} from './tables/software.ts'
import type { TaskResultsTable, TaskRunsTable, TaskScriptsTable, TasksTable } from './tables/tasks.ts'
import type {
  IdempotencyKeysTable,
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
  roles: RolesTable
  role_clients: RoleClientsTable
  role_sites: RoleSitesTable
  sessions: SessionsTable
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
  agent_history: AgentHistoryTable
  history_output: HistoryOutputTable
  output_days: OutputDaysTable
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
  software_inventories: SoftwareInventoriesTable
  machine_patches: MachinePatchesTable
  policies: PoliciesTable
  policy_targets: PolicyTargetsTable
  policy_exclusions: PolicyExclusionsTable
  policy_versions: PolicyVersionsTable
  audit_log: AuditLogTable
  settings: SettingsTable
  jobs: JobsTable
}

export type Db = Kysely<Database> | Transaction<Database>
