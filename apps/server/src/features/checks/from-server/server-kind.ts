import type { CheckSettings, CheckType } from '@muster/contract/api/checks'
import { ServerCheckType, type ServerMeasured, splitResolver } from '@muster/contract/checks/server-checks'
import { isIP } from 'node:net'
import { AppError } from '@muster/contract/errors'
import type { OutboundTargets } from '../../../platform/config/config.ts'
import { refusalOf } from '../../../platform/outbound/resolve-target.ts'

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

/** Refuses an address that can never be reached. Names are resolved and checked at every run. */
export function refuseTarget(settings: CheckSettings, targets: OutboundTargets): void {
  const named = addressIn(settings)
  if (named === undefined) return
  const address = named.address.toLowerCase() === 'localhost' ? '127.0.0.1' : named.address
  const refusal = isIP(address) === 0 ? undefined : refusalOf(address, targets)
  if (refusal !== undefined) throw new AppError('invalid', refusal, { fields: { [named.field]: [refusal] } })
}

function addressIn(settings: CheckSettings): { field: string; address: string } | undefined {
  switch (settings.check_type) {
    case 'http':
      return { field: 'settings.url', address: new URL(settings.url).hostname.replace(/^\[|\]$/g, '') }
    case 'tcp':
      return { field: 'settings.host', address: settings.host }
    case 'dns': {
      const server = settings.resolver === null ? undefined : splitResolver(settings.resolver)
      return server && { field: 'settings.resolver', address: server.address }
    }
    default:
      return undefined
  }
}
