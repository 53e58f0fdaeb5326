import { setTimeout as sleep } from 'node:timers/promises'
import { type MachineService, MAX_SERVICES, type WantedStartType } from '@muster/contract/agent/services'
import { AgentError } from '../../errors.ts'
import type { ServiceTools } from '../os.ts'
import type { ServiceState } from '../probes.ts'
import {
  type ListedService,
  type OpenService,
  SERVICE_ACCESS,
  SERVICE_STATE,
  ServiceManager,
  START_TYPE,
} from './service-manager.ts'
import { serviceName } from './service.ts'

const STOP_LIMIT_MS = 20_000
/** A service that starts or stops is given this long, so that its new state is reported. */
const SETTLE_LIMIT_MS = 8000
const POLL_MS = 200

export const windowsServiceTools: ServiceTools = {
  ownName: serviceName,
  async list(name) {
    using manager = await ServiceManager.open()
    return manager
      .list()
      .filter((listed) => name === null || listed.name.toLowerCase() === name.toLowerCase())
      .slice(0, MAX_SERVICES)
      .map((listed) => describeService(manager, listed))
  },
  async control(name, action) {
    using manager = await ServiceManager.open()
    const { start, stop, readStatus } = SERVICE_ACCESS
    using service = manager.require(
      name,
      readStatus | (action === 'stop' ? 0 : start) | (action === 'start' ? 0 : stop),
    )
    if (action !== 'start') await service.stop()
    if (action === 'restart') await untilStopped(name, service)
    if (action !== 'stop') await service.start()
    await untilSettled(service)
  },
  async setStartType(name, startType) {
    using manager = await ServiceManager.open()
    using service = manager.require(name, SERVICE_ACCESS.changeConfig)
    service.changeStartType(WANTED[startType])
    if (startType === 'auto' || startType === 'autodelay') service.changeIsDelayed(startType === 'autodelay')
  },
  async readLog() {
    throw new AgentError('Logs of single services are available on Linux only. Use the event log.')
  },
}

/** The state of a service for checks. A paused service does not work. */
export async function findServiceState(name: string): Promise<ServiceState> {
  using manager = await ServiceManager.open()
  using service = manager.find(name, SERVICE_ACCESS.readStatus)
  if (service === undefined) return { state: 'missing', detail: '' }
  const { state } = service.readStatus()
  return { state: CHECK_STATES[state] ?? 'stopped', detail: DETAILS[state] ?? `State ${state}` }
}

/** Starts a service for a check. Returns the message of Windows if it refuses. */
export async function startService(name: string): Promise<string | undefined> {
  try {
    await windowsServiceTools.control(name, 'start')
    return undefined
  } catch (cause) {
    if (cause instanceof AgentError) return cause.message.replace(/^Windows refused: /, '')
    throw cause
  }
}

const { stopped, startPending, stopPending, running, continuePending, pausePending, paused } = SERVICE_STATE

const CHECK_STATES: Partial<Record<number, ServiceState['state']>> = {
  [running]: 'running',
  [startPending]: 'start_pending',
  [continuePending]: 'start_pending',
}
const STATUS: Partial<Record<number, MachineService['status']>> = {
  [stopped]: 'stopped',
  [startPending]: 'starting',
  [stopPending]: 'stopping',
  [running]: 'running',
  [continuePending]: 'starting',
  [pausePending]: 'stopping',
  [paused]: 'paused',
}
/** The words of the Services window. */
const DETAILS: Partial<Record<number, string>> = {
  [stopped]: 'Stopped',
  [startPending]: 'Starting',
  [stopPending]: 'Stopping',
  [running]: 'Running',
  [continuePending]: 'Resuming',
  [pausePending]: 'Pausing',
  [paused]: 'Paused',
}
const START_TYPES: Partial<Record<number, MachineService['start_type']>> = {
  [START_TYPE.auto]: 'auto',
  [START_TYPE.manual]: 'manual',
  [START_TYPE.disabled]: 'disabled',
}
const WANTED: Record<WantedStartType, number> = {
  auto: START_TYPE.auto,
  autodelay: START_TYPE.auto,
  manual: START_TYPE.manual,
  disabled: START_TYPE.disabled,
}

function describeService(manager: ServiceManager, listed: ListedService): MachineService {
  return {
    name: listed.name.slice(0, 255),
    display_name: (listed.displayName || listed.name).slice(0, 255),
    status: STATUS[listed.state] ?? 'unknown',
    detail: DETAILS[listed.state] ?? `State ${listed.state}`,
    pid: listed.pid,
    ...readDetails(manager, listed.name),
  }
}

type Details = Pick<MachineService, 'description' | 'start_type' | 'autodelay' | 'username' | 'binpath'>

/** Some services of security products let nobody read their configuration. The description says so then. */
function readDetails(manager: ServiceManager, name: string): Details {
  try {
    using service = manager.require(name, SERVICE_ACCESS.readConfig)
    const { startType, account, path } = service.readConfig()
    return {
      description: service.readDescription().slice(0, 500),
      start_type: START_TYPES[startType] ?? 'fixed',
      autodelay: startType === START_TYPE.auto && service.readIsDelayed(),
      username: account.slice(0, 255),
      binpath: path.slice(0, 500),
    }
  } catch (cause) {
    if (!(cause instanceof AgentError)) throw cause
    const description = `Failed to read its configuration. ${cause.message}`.slice(0, 500)
    return { description, start_type: 'fixed', autodelay: false, username: '', binpath: '' }
  }
}

async function untilStopped(name: string, service: OpenService): Promise<void> {
  const deadline = performance.now() + STOP_LIMIT_MS
  while (service.readStatus().state !== SERVICE_STATE.stopped) {
    if (performance.now() > deadline)
      throw new AgentError(`${name} has not stopped within ${STOP_LIMIT_MS / 1000} seconds.`)
    await sleep(POLL_MS)
  }
}

async function untilSettled(service: OpenService): Promise<void> {
  const pending = new Set<number>([startPending, stopPending, continuePending, pausePending])
  const deadline = performance.now() + SETTLE_LIMIT_MS
  while (pending.has(service.readStatus().state) && performance.now() < deadline) await sleep(POLL_MS)
}
