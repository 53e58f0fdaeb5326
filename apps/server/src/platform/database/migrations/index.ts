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
import {
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
} from './0010-to-0024.ts'
import {
  remoteSessions,
  software,
  remoteRecordings,
  remoteAccess,
  codeBeforeTools,
  pendingActions,
  joinedSessions,
  remoteReceipts,
  patches,
  enforcesRules,
  webTerminals,
  sessionPurpose,
} from './0028-to-0044.ts'
import {
  keyRoles,
  serverScriptApprovals,
  patchActions,
  outputOfADay,
  availabilityAlerts,
  resultTimes,
  retention,
  companyName,
  deployments,
  agentUpdates,
  powerPlans,
} from './0050-and-later.ts'

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
  deployments,
  agentUpdates,
  powerPlans,
]
