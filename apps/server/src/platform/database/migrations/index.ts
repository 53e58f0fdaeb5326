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
  patchVersions,
  powerPlans,
  runsAsUser,
} from './0050-and-later.ts'
import { packageFiles, softwarePolicies, softwareUpgrades } from './0088-software.ts'
import { pushedFiles } from './0089-pushed-files.ts'
import { installedPatches } from './0090-installed-patches.ts'
import { fleetJobs } from './0082-fleet-jobs.ts'
import { jobIndexes } from './0084-job-indexes.ts'
import { machineViews, tagRules, tags } from './0083-tags.ts'
import { jobApprovals, repeatingJobs } from './0085-repeating-jobs.ts'
import { scriptParameters } from './0085-script-parameters.ts'
import { patchPolicies } from './0087-patch-policies.ts'
import { diskForecasts } from './0091-disk-forecasts.ts'
import { editedRepeatingJobs } from './0092-edited-repeating-jobs.ts'
import { alertLinks } from './0093-alert-links.ts'
import { escalations } from './0094-escalations.ts'
import { recoveryCodes } from './0095-recovery-codes.ts'
import { pushSubscriptions } from './0097-push-subscriptions.ts'
import { resolvedAlerts } from './0098-resolved-alerts.ts'
import { apiKeys } from './0099-api-keys.ts'
import { invitations } from './0100-invitations.ts'
import { urlActions } from './0102-url-actions.ts'
import { builtInRoles } from './0105-built-in-roles.ts'
import { passwordChanges } from './0106-password-changes.ts'
import { webhooks } from './0108-webhooks.ts'
import { signInHistory } from './0110-sign-in-history.ts'
import { sso } from './0111-sso.ts'
import { passkeys } from './0112-passkeys.ts'
import { machineHardware } from './0113-machine-hardware.ts'
import { metricThresholds } from './0114-metric-thresholds.ts'
import { packageStates } from './0117-package-states.ts'
import { serverMachine } from './0119-server-machine.ts'
import { sessionProofs } from './0120-session-proofs.ts'

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
  patchVersions,
  runsAsUser,
  tags,
  machineViews,
  tagRules,
  fleetJobs,
  jobIndexes,
  repeatingJobs,
  jobApprovals,
  patchPolicies,
  scriptParameters,
  softwareUpgrades,
  packageFiles,
  softwarePolicies,
  pushedFiles,
  installedPatches,
  diskForecasts,
  editedRepeatingJobs,
  alertLinks,
  escalations,
  recoveryCodes,
  pushSubscriptions,
  resolvedAlerts,
  apiKeys,
  invitations,
  urlActions,
  builtInRoles,
  passwordChanges,
  webhooks,
  signInHistory,
  sso,
  passkeys,
  machineHardware,
  metricThresholds,
  packageStates,
  serverMachine,
  sessionProofs,
]
