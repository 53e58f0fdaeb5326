import { AgentError } from '../../errors.ts'
import {
  bindLibrary,
  type Call,
  callOnThread,
  type Handle,
  loadErrors,
  loadKoffi,
  readWidePointer,
  type WindowsErrors,
} from './win32.ts'

interface Advapi {
  openManager: (machine: null, database: null, access: number) => Handle
  enumerate: Call<
    [
      manager: Handle,
      level: 0,
      types: number,
      states: number,
      services: Buffer,
      size: number,
      needed: [number],
      count: [number],
      resume: [number],
      group: null,
    ]
  >
  open: (manager: Handle, name: string, access: number) => Handle
  readConfig: (service: Handle, config: Buffer, size: number, needed: [number]) => number
  readOption: Call<[service: Handle, level: number, option: Buffer, size: number, needed: [number]]>
  readStatus: Call<[service: Handle, level: 0, status: Buffer, size: number, needed: [number]]>
  start: (service: Handle, count: 0, values: null) => number
  control: (service: Handle, control: number, status: Buffer) => number
  changeConfig: Call<
    [
      service: Handle,
      type: number,
      startType: number,
      errorControl: number,
      ...unchanged: [null, null, null, null, null, null, null],
    ]
  >
  changeOption: (service: Handle, level: number, option: Buffer) => number
  close: (handle: Handle) => number
}

const ADVAPI: Record<keyof Advapi, string> = {
  openManager: 'uintptr_t __stdcall OpenSCManagerW(void *, void *, uint32_t)',
  enumerate:
    'int __stdcall EnumServicesStatusExW(uintptr_t, int, uint32_t, uint32_t, uint8_t *, uint32_t, _Out_ uint32_t *, _Out_ uint32_t *, _Inout_ uint32_t *, void *)',
  open: 'uintptr_t __stdcall OpenServiceW(uintptr_t, str16, uint32_t)',
  readConfig: 'int __stdcall QueryServiceConfigW(uintptr_t, uint8_t *, uint32_t, _Out_ uint32_t *)',
  readOption:
    'int __stdcall QueryServiceConfig2W(uintptr_t, uint32_t, uint8_t *, uint32_t, _Out_ uint32_t *)',
  readStatus: 'int __stdcall QueryServiceStatusEx(uintptr_t, int, uint8_t *, uint32_t, _Out_ uint32_t *)',
  start: 'int __stdcall StartServiceW(uintptr_t, uint32_t, void *)',
  control: 'int __stdcall ControlService(uintptr_t, uint32_t, uint8_t *)',
  changeConfig:
    'int __stdcall ChangeServiceConfigW(uintptr_t, uint32_t, uint32_t, uint32_t, void *, void *, void *, void *, void *, void *, void *)',
  changeOption: 'int __stdcall ChangeServiceConfig2W(uintptr_t, uint32_t, uint8_t *)',
  close: 'int __stdcall CloseServiceHandle(uintptr_t)',
}

/** SC_MANAGER_CONNECT and SC_MANAGER_ENUMERATE_SERVICE. */
const MANAGER_ACCESS = 0x5
export const SERVICE_ACCESS = { readConfig: 0x1, changeConfig: 0x2, readStatus: 0x4, start: 0x10, stop: 0x20 }
/** SERVICE_WIN32: no drivers. SERVICE_STATE_ALL. */
const TYPES = 0x30
const STATES = 0x3
/** The largest array that Windows returns at once. */
const ENUMERATE_BYTES = 256 * 1024
/** The largest configuration that Windows returns. */
const CONFIG_BYTES = 8 * 1024
const STATUS_BYTES = 36
const ENTRY_BYTES = 56
const DESCRIPTION = 1
const DELAYED_START = 3
const CONTROL_STOP = 1
const NO_CHANGE = 0xffffffff

export const SERVICE_ERROR = { moreData: 234, alreadyRunning: 1056, missing: 1060, notStarted: 1062 } as const
/** Values of `dwCurrentState`. */
export const SERVICE_STATE = {
  stopped: 1,
  startPending: 2,
  stopPending: 3,
  running: 4,
  continuePending: 5,
  pausePending: 6,
  paused: 7,
} as const
export const START_TYPE = { auto: 2, manual: 3, disabled: 4 } as const

export interface ServiceStatus {
  /** One of SERVICE_STATE. */
  state: number
  /** 0 = none. */
  pid: number
}
export interface ListedService extends ServiceStatus {
  name: string
  displayName: string
}
export interface ServiceConfig {
  /** One of START_TYPE, or that of a driver. */
  startType: number
  path: string
  account: string
}

/** ENUM_SERVICE_STATUS_PROCESSW: two pointers, then SERVICE_STATUS_PROCESS. */
export function decodeServices(buffer: Buffer, count: number, address: bigint): ListedService[] {
  return Array.from({ length: count }, (_, index) => {
    const at = index * ENTRY_BYTES
    return {
      name: readWidePointer(buffer, at, address),
      displayName: readWidePointer(buffer, at + 8, address),
      ...decodeStatus(buffer, at + 16),
    }
  })
}

/** SERVICE_STATUS_PROCESS: nine numbers of 32 bits. */
function decodeStatus(buffer: Buffer, at = 0): ServiceStatus {
  return { state: buffer.readUInt32LE(at + 4), pid: buffer.readUInt32LE(at + 28) }
}

/** QUERY_SERVICE_CONFIGW. */
export function decodeConfig(buffer: Buffer, address: bigint): ServiceConfig {
  return {
    startType: buffer.readUInt32LE(4),
    path: readWidePointer(buffer, 16, address),
    account: readWidePointer(buffer, 48, address),
  }
}

interface Calls {
  advapi: Advapi
  errors: WindowsErrors
  addressOf: (buffer: Buffer) => bigint
}

let loaded: Promise<Calls> | undefined

async function loadCalls(): Promise<Calls> {
  const { address: addressOf } = await loadKoffi()
  return { advapi: await bindLibrary<Advapi>('advapi32.dll', ADVAPI), errors: await loadErrors(), addressOf }
}

/** The service control manager of Windows. Source: Windows API, "Services". */
export class ServiceManager implements Disposable {
  readonly #calls: Calls
  readonly #handle: Handle

  private constructor(calls: Calls) {
    this.#calls = calls
    const { advapi, errors } = calls
    this.#handle = advapi.openManager(null, null, MANAGER_ACCESS)
    if (Number(this.#handle) === 0)
      throw new AgentError(`Failed to open the service manager: ${errors.describe(errors.last())}`)
  }

  static async open(): Promise<ServiceManager> {
    return new ServiceManager(await (loaded ??= loadCalls()))
  }

  list(): ListedService[] {
    const { advapi, errors, addressOf } = this.#calls
    const services: ListedService[] = []
    const buffer = Buffer.alloc(ENUMERATE_BYTES)
    const size = buffer.length
    const count: [number] = [0]
    const resume: [number] = [0]
    for (;;) {
      const needed: [number] = [0]
      const into = [buffer, size, needed, count, resume, null] as const
      const isDone = advapi.enumerate(this.#handle, 0, TYPES, STATES, ...into) !== 0
      const error = isDone ? 0 : errors.last()
      if (!isDone && error !== SERVICE_ERROR.moreData)
        throw new AgentError(`Failed to list the services: ${errors.describe(error)}`)
      services.push(...decodeServices(buffer, count[0], addressOf(buffer)))
      if (isDone) break
    }
    // Windows itself consists of services.
    if (services.length === 0) throw new AgentError('Failed to list the services: Windows returned none.')
    return services
  }

  /** Opens a service; undefined if it does not exist. Throws AgentError if Windows refuses. */
  find(name: string, access: number): OpenService | undefined {
    const { advapi, errors } = this.#calls
    const handle = advapi.open(this.#handle, name, access)
    if (Number(handle) !== 0) return new OpenService(this.#calls, handle)
    const error = errors.last()
    if (error === SERVICE_ERROR.missing) return undefined
    throw refused(errors, error)
  }

  /** Opens a service. Throws AgentError if it does not exist. */
  require(name: string, access: number): OpenService {
    const service = this.find(name, access)
    if (service === undefined) throw refused(this.#calls.errors, SERVICE_ERROR.missing)
    return service
  }

  [Symbol.dispose](): void {
    this.#calls.advapi.close(this.#handle)
  }
}

/** An open service. Its methods throw AgentError with the message of Windows. */
export class OpenService implements Disposable {
  readonly #calls: Calls
  readonly #handle: Handle

  constructor(calls: Calls, handle: Handle) {
    this.#calls = calls
    this.#handle = handle
  }

  readStatus(): ServiceStatus {
    const status = Buffer.alloc(STATUS_BYTES)
    this.#require(this.#calls.advapi.readStatus(this.#handle, 0, status, status.length, [0]))
    return decodeStatus(status)
  }

  readConfig(): ServiceConfig {
    const config = Buffer.alloc(CONFIG_BYTES)
    this.#require(this.#calls.advapi.readConfig(this.#handle, config, config.length, [0]))
    return decodeConfig(config, this.#calls.addressOf(config))
  }

  /** Empty if there is none. */
  readDescription(): string {
    const option = Buffer.alloc(CONFIG_BYTES)
    this.#require(this.#calls.advapi.readOption(this.#handle, DESCRIPTION, option, option.length, [0]))
    return readWidePointer(option, 0, this.#calls.addressOf(option))
  }

  readIsDelayed(): boolean {
    const option = Buffer.alloc(8)
    this.#require(this.#calls.advapi.readOption(this.#handle, DELAYED_START, option, option.length, [0]))
    return option.readUInt32LE() !== 0
  }

  /** Returns when the service's process has started, which takes up to 30 seconds. */
  async start(): Promise<void> {
    const { advapi, errors } = this.#calls
    const { error } = await callOnThread(errors, advapi.start, this.#handle, 0, null)
    if (error !== 0 && error !== SERVICE_ERROR.alreadyRunning) throw refused(errors, error)
  }

  /** Asks the service to stop. It may still be stopping afterwards. */
  async stop(): Promise<void> {
    const status = Buffer.alloc(STATUS_BYTES)
    const { advapi, errors } = this.#calls
    const { error } = await callOnThread(errors, advapi.control, this.#handle, CONTROL_STOP, status)
    if (error !== 0 && error !== SERVICE_ERROR.notStarted) throw refused(errors, error)
  }

  changeStartType(startType: number): void {
    const rest = [null, null, null, null, null, null, null] as const
    this.#require(this.#calls.advapi.changeConfig(this.#handle, NO_CHANGE, startType, NO_CHANGE, ...rest))
  }

  changeIsDelayed(isDelayed: boolean): void {
    const option = Buffer.alloc(4)
    option.writeUInt32LE(isDelayed ? 1 : 0)
    this.#require(this.#calls.advapi.changeOption(this.#handle, DELAYED_START, option))
  }

  [Symbol.dispose](): void {
    this.#calls.advapi.close(this.#handle)
  }

  #require(result: number): void {
    if (result === 0) throw refused(this.#calls.errors, this.#calls.errors.last())
  }
}

function refused(errors: WindowsErrors, error: number): AgentError {
  return new AgentError(`Windows refused: ${errors.describe(error)}`)
}
