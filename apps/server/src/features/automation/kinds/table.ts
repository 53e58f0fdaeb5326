import { agentSettingsKind } from './agent-settings.ts'
import { alertTemplateKind } from './alert-template.ts'
import { checksKind } from './checks.ts'
import type { ContentKind } from './kind.ts'

/** What policies hold. A new kind needs its file here, its field in the contract's policy-content.ts and its form. */
// What a kind resolves goes back to that same kind only.
export const KINDS = [checksKind, agentSettingsKind, alertTemplateKind] as readonly ContentKind[]
