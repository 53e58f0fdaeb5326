import { setTimeout as sleep } from 'node:timers/promises'
import { type MachineService, MAX_SERVICES, type WantedStartType } from '@muster/contract/agent/services'
import { z } from 'zod'
import { AgentError, MeasureError } from '../../errors.ts'
import { firstLine, runTool } from '../run-tool.ts'
import type { ServiceTools } from '../os.ts'
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

const LIMIT_MS = 30_000
const LOOK_EVERY_MS = 500
const RUNS_ALREADY = 1056
const NOT_STARTED = 1062
const SERVICE_SCRIPT = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  '$all = Get-CimInstance Win32_Service | Select-Object Name, DisplayName, Description, State, StartMode, DelayedAutoStart, ProcessId, StartName, PathName',
  'ConvertTo-Json -Compress -InputObject @($all)',
].join('; ')
const MODES: Record<WantedStartType, string> = {
  auto: 'auto',
  autodelay: 'delayed-auto',
  manual: 'demand',
  disabled: 'disabled',
}

export const windowsServiceTools: ServiceTools = {
  ownName: () => undefined,
  async list(name) {
    const args = ['-NoProfile', '-NonInteractive', '-Command', SERVICE_SCRIPT]
    const { stdout, stderr } = await run('powershell', args)
    const services = parseWindowsServices(stdout)
    if (services === undefined)
      throw new MeasureError(`Failed to list the services: ${firstLine(stderr, stdout)}`)
    return services.filter((service) => name === null || service.name.toLowerCase() === name.toLowerCase())
  },
  async control(name, action) {
    if (action !== 'start') await control('stop', name, NOT_STARTED)
    if (action === 'restart') await untilStopped(name)
    if (action !== 'stop') await control('start', name, RUNS_ALREADY)
  },
  async setStartType(name, startType) {
    // sc requires a separate word after the equals sign.
    const { code, stdout, stderr } = await run('sc', ['config', name, 'start=', MODES[startType]])
    if (code !== 0) throw refused(stdout, stderr)
  },
  async readLog() {
    throw new AgentError('Logs of single services are available on Linux only. Use the event log.')
  },
}

const Row = z.object({
  Name: z.string().max(255),
  DisplayName: z.string().nullish(),
  Description: z.string().nullish(),
  State: z.string().nullish(),
  StartMode: z.string().nullish(),
  DelayedAutoStart: z.boolean().nullish(),
  ProcessId: z.int().min(0).nullish(),
  StartName: z.string().nullish(),
  PathName: z.string().nullish(),
})

/** Parses the output of SERVICE_SCRIPT; undefined if it is invalid. */
export function parseWindowsServices(output: string): MachineService[] | undefined {
  const rows = z.array(z.unknown()).safeParse(tryJson(output))
  if (!rows.success) return undefined
  const services = rows.data.flatMap((found): MachineService[] => {
    const row = Row.safeParse(found).data
    if (row === undefined) return []
    return [
      {
        name: row.Name,
        display_name: (row.DisplayName ?? row.Name).slice(0, 255),
        description: (row.Description ?? '').slice(0, 500),
        status: STATUS[row.State ?? ''] ?? 'unknown',
        detail: (row.State ?? '').slice(0, 100),
        start_type: START_TYPES[row.StartMode ?? ''] ?? 'fixed',
        autodelay: row.DelayedAutoStart === true,
        pid: row.ProcessId ?? 0,
        username: (row.StartName ?? '').slice(0, 255),
        binpath: (row.PathName ?? '').slice(0, 500),
      },
    ]
  })
  return services.slice(0, MAX_SERVICES)
}

/** WMI uses English here in every language. */
const STATUS: Partial<Record<string, MachineService['status']>> = {
  Running: 'running',
  Stopped: 'stopped',
  Paused: 'paused',
  'Start Pending': 'starting',
  'Stop Pending': 'stopping',
  'Continue Pending': 'starting',
  'Pause Pending': 'stopping',
}
const START_TYPES: Partial<Record<string, MachineService['start_type']>> = {
  Auto: 'auto',
  Manual: 'manual',
  Disabled: 'disabled',
}

async function control(verb: 'start' | 'stop', name: string, fine: number): Promise<void> {
  const { code, stdout, stderr } = await run('sc', [verb, name])
  if (code !== 0 && findErrorCode(stdout) !== fine) throw refused(stdout, stderr)
}

async function untilStopped(name: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (performance.now() < deadline) {
    const { stdout } = await run('sc', ['queryex', name])
    if (parseServiceState(stdout)?.detail === 'STOPPED') return
    await sleep(LOOK_EVERY_MS)
  }
  throw new AgentError(`${name} has not stopped within ${LIMIT_MS / 1000} seconds.`)
}

function refused(stdout: string, stderr: string): AgentError {
  return new AgentError(`Windows refused: ${firstLine(...stdout.split('\n').toReversed(), stderr)}`)
}

function run(tool: string, args: string[]) {
  return runTool(tool, args, { signal: AbortSignal.timeout(LIMIT_MS + 1000), timeoutMs: LIMIT_MS })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
