import type { ServiceState } from '../probes.ts'

const STATES: Partial<Record<string, ServiceState['state']>> = {
  '1': 'stopped',
  '2': 'start_pending',
  '3': 'stopped',
  '4': 'running',
  // Resuming, pausing, paused.
  '5': 'start_pending',
  '6': 'stopped',
  '7': 'stopped',
}

/** The output of `sc queryex`: labels are translated, numbers and constants are not. */
export function parseServiceState(output: string): ServiceState | undefined {
  // The type comes first; the state is the second line of this form.
  const constants = [...output.matchAll(/^\s+\S.*?: ([0-9a-f]+)\s+([A-Z][A-Z0-9_]{3,})/gm)]
  const [, number = '', word = ''] = constants[1] ?? []
  const state = STATES[number]
  return state === undefined ? undefined : { state, detail: word }
}

/** `[SC] EnumQueryServicesStatus:OpenService FAILED 1060:` */
export function findErrorCode(output: string): number | undefined {
  const [, code] = /^\[SC\].*?(\d+):/m.exec(output) ?? []
  return code === undefined ? undefined : Number(code)
}
