import { agentDialogs, useMachineSource } from '../features/agents/register.ts'
import { alertDialogs } from '../features/alerts/register.ts'
import { backupDialogs } from '../features/backups/register.ts'
import { checkDialogs } from '../features/checks/register.ts'
import { clientDialogs, useClientSource } from '../features/clients/register.ts'
import { customFieldDialogs } from '../features/custom-fields/register.ts'
import { fleetJobDialogs } from '../features/fleet-jobs/register.ts'
import { softwareDialogs } from '../features/software/register.ts'
import { installerDialogs } from '../features/installers/register.ts'
import { keyStoreDialogs } from '../features/keystore/register.ts'
import { maintenanceDialogs } from '../features/maintenance/register.ts'
import { metricDialogs } from '../features/metrics/register.ts'
import { noteDialogs } from '../features/notes/register.ts'
import { policyDialogs } from '../features/policies/register.ts'
import { powerDialogs } from '../features/power/register.ts'
import { remoteDialogs } from '../features/remote/register.ts'
import { runDialogs } from '../features/runs/register.ts'
import { scriptDialogs, useScriptSource } from '../features/scripts/register.ts'
import { useSettingsSource } from '../features/settings/register.ts'
import { systemDialogs } from '../features/system/register.ts'
import { ssoDialogs } from '../features/sso/register.ts'
import { tagDialogs } from '../features/tags/register.ts'
import { urlActionDialogs } from '../features/url-actions/register.ts'
import { taskDialogs } from '../features/tasks/register.ts'
import { updateDialogs } from '../features/updates/register.ts'
import { userDialogs } from '../features/users/register.ts'
import { webhookDialogs } from '../features/webhooks/register.ts'

// Dialogs and search sources of the features. Only the frame and the routes import features; a feature opens a dialog by
// its name, which avoids import cycles.

/** Every dialog with an address. */
export const DIALOGS = {
  ...agentDialogs,
  ...alertDialogs,
  ...backupDialogs,
  ...checkDialogs,
  ...clientDialogs,
  ...customFieldDialogs,
  ...fleetJobDialogs,
  ...softwareDialogs,
  ...installerDialogs,
  ...keyStoreDialogs,
  ...maintenanceDialogs,
  ...metricDialogs,
  ...noteDialogs,
  ...policyDialogs,
  ...powerDialogs,
  ...remoteDialogs,
  ...runDialogs,
  ...scriptDialogs,
  ...ssoDialogs,
  ...systemDialogs,
  ...tagDialogs,
  ...urlActionDialogs,
  ...taskDialogs,
  ...updateDialogs,
  ...userDialogs,
  ...webhookDialogs,
}

/** Results of the command palette besides actions and screens. */
export function useFeatureSources(): void {
  useClientSource()
  useMachineSource()
  useScriptSource()
  useSettingsSource()
}

declare module './dialogs/use-dialog.ts' {
  interface Register {
    dialogs: typeof DIALOGS
  }
}
