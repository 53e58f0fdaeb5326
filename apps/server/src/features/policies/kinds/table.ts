import { agentSettingsKind } from './agent-settings.ts'
import { alertTemplateKind } from './alert-template.ts'
import { checksKind } from './checks.ts'
import type { ContentKind } from './kind.ts'
import { patchesKind } from './patches.ts'
import { softwareKind } from './software.ts'
import { tasksKind } from './tasks.ts'

/**
 * Kinds of policy content, in the order in which they are applied: tasks need checks. A new kind needs its file here,
 * its field in the contract's policy-content.ts, and its form.
 */
// Resolved items of a kind are passed back to the same kind only.
export const KINDS = [
  checksKind,
  tasksKind,
  agentSettingsKind,
  alertTemplateKind,
  patchesKind,
  softwareKind,
] as readonly ContentKind[]
