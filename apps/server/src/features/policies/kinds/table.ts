import { agentSettingsKind } from './agent-settings.ts'
import { alertTemplateKind } from './alert-template.ts'
import { checksKind } from './checks.ts'
import type { ContentKind } from './kind.ts'
import { tasksKind } from './tasks.ts'

/**
 * What policies hold, in the order in which machines get it: tasks wait for checks. A new kind needs its file here, its
 * field in the contract's policy-content.ts and its form.
 */
// What a kind resolves goes back to that same kind only.
export const KINDS = [checksKind, tasksKind, agentSettingsKind, alertTemplateKind] as readonly ContentKind[]
