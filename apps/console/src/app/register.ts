import { agentDialogs, useMachineSource } from '../features/agents/register.ts'
import { alertDialogs } from '../features/alerts/register.ts'
import { auditDialogs } from '../features/audit/register.ts'
import { checkDialogs } from '../features/checks/register.ts'
import { clientDialogs, useClientSource } from '../features/clients/register.ts'
import { customFieldDialogs } from '../features/custom-fields/register.ts'
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
import { settingsDialogs } from '../features/settings/register.ts'
import { taskDialogs } from '../features/tasks/register.ts'
import { updateDialogs } from '../features/updates/register.ts'
import { userDialogs } from '../features/users/register.ts'

// Dialogs and search sources of the features. Only the frame and the routes import features; a feature opens a dialog by
// its name, which avoids import cycles.

/** Every dialog with an address. */
export const DIALOGS = {
  ...agentDialogs,
  ...alertDialogs,
  ...auditDialogs,
  ...checkDialogs,
  ...clientDialogs,
  ...customFieldDialogs,
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
  ...settingsDialogs,
  ...taskDialogs,
  ...updateDialogs,
  ...userDialogs,
}

/** Results of the command palette besides actions and screens. */
export function useFeatureSources(): void {
  useClientSource()
  useMachineSource()
  useScriptSource()
}

declare module './dialogs/use-dialog.ts' {
  interface Register {
    dialogs: typeof DIALOGS
  }
}
