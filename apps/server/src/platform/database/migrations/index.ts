import type { Migration } from '../migrate.ts'
import * as first from './0001-first.ts'
import * as checks from './0002-checks.ts'
import * as alerts from './0003-alerts.ts'
import * as maintenance from './0004-maintenance.ts'
import * as serverChecks from './0005-server-checks.ts'
import * as tasks from './0006-tasks.ts'
import * as scriptsAndFields from './0007-scripts-and-fields.ts'
import * as policies from './0008-policies.ts'
import * as alertTemplates from './0009-alert-templates.ts'
import * as machineSeries from './0010-machine-series.ts'
import * as policyTemplates from './0011-policy-templates.ts'
import * as policyTasks from './0013-policy-tasks.ts'
import * as largeBatches from './0015-large-batches.ts'
import * as chunksByTime from './0016-chunks-by-time.ts'
import * as machinePeriods from './0017-machine-periods.ts'
import * as checkDependencies from './0018-check-dependencies.ts'
import * as taskResults from './0020-task-results.ts'
import * as customAlertTemplates from './0021-custom-alert-templates.ts'
import * as agentFacts from './0022-agent-facts.ts'
import * as machineChanges from './0024-machine-changes.ts'
import * as remoteSessions from './0028-remote-sessions.ts'
import * as software from './0029-software.ts'
import * as remoteRecordings from './0032-remote-recordings.ts'
import * as pendingActions from './0036-pending-actions.ts'
import * as joinedSessions from './0037-joined-sessions.ts'
import * as remoteAccess from './0034-remote-access.ts'
import * as codeBeforeTools from './0035-code-before-tools.ts'
import * as patches from './0041-patches.ts'
import * as enforcesRules from './0042-enforces-rules.ts'
import * as webTerminals from './0043-web-terminals.ts'
import * as sessionPurpose from './0044-session-purpose.ts'
import * as patchActions from './0054-patch-actions.ts'
import * as serverScriptApprovals from './0053-server-script-approvals.ts'
import * as availabilityAlerts from './0062-availability-alerts.ts'
import * as keyRoles from './0050-key-roles.ts'
import * as resultTimes from './0063-result-times.ts'
import * as outputOfADay from './0056-output-of-a-day.ts'
import * as remoteReceipts from './0039-remote-receipts.ts'
import * as retention from './0065-retention.ts'
import * as companyName from './0066-company-name.ts'

/** All migrations in order. Never rename one: databases record the names. */
export const migrations: readonly Migration[] = [
  first,
  checks,
  alerts,
  maintenance,
  serverChecks,
  tasks,
  scriptsAndFields,
  policies,
  alertTemplates,
  machineSeries,
  policyTemplates,
  policyTasks,
  largeBatches,
  chunksByTime,
  machinePeriods,
  checkDependencies,
  taskResults,
  customAlertTemplates,
  agentFacts,
  machineChanges,
  remoteSessions,
  software,
  remoteRecordings,
  pendingActions,
  remoteAccess,
  codeBeforeTools,
  joinedSessions,
  patches,
  enforcesRules,
  webTerminals,
  remoteReceipts,
  sessionPurpose,
  serverScriptApprovals,
  availabilityAlerts,
  patchActions,
  keyRoles,
  resultTimes,
  outputOfADay,
  retention,
  companyName,
]
