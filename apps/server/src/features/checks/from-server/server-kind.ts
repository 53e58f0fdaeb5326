import type { CheckSettings, CheckType } from '@muster/contract/api/checks'
import { ServerCheckType, type ServerMeasured } from '@muster/contract/checks/server-checks'
import type { OutboundTargets } from '../../../platform/config/config.ts'

export type SettingsOf<Type extends ServerCheckType> = Extract<CheckSettings, { check_type: Type }>
export type MeasuredOf<Type extends ServerCheckType> = Extract<ServerMeasured, { check_type: Type }>

export interface Reach {
  targets: OutboundTargets
  /** Aborts at the time limit, or when the server stops. */
  signal: AbortSignal
}

export type ServerSettings = SettingsOf<ServerCheckType>

/** Whether the server runs this type of check instead of the agent. */
export function isServerCheck(settings: CheckSettings): settings is ServerSettings {
  return isServerType(settings.check_type)
}

export function isServerType(type: CheckType): type is ServerCheckType {
  return ServerCheckType.safeParse(type).success
}
