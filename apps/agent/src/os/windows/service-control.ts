import { CliError } from '../../errors.ts'
import { bindLibrary, type Handle } from './win32.ts'

type Call<Values extends unknown[], Result = number> = (...values: Values) => Result

/** The functions of Windows' service manager that the agent's own service needs. 0 = failed, see `lastError`. */
interface Functions {
  openManager: (machine: null, database: null, access: number) => Handle
  open: (manager: Handle, name: string, access: number) => Handle
  create: Call<
    [
      manager: Handle,
      name: string,
      title: string,
      access: number,
      type: number,
      start: number,
      errors: number,
      command: string,
      ...nothing: null[],
    ],
    Handle
  >
  change: Call<
    [
      service: Handle,
      type: number,
      start: number,
      errors: number,
      command: string,
      ...rest: (string | null)[],
    ]
  >
  changeMore: (service: Handle, kind: number, value: Buffer) => number
  start: (service: Handle, count: 0, values: null) => number
  control: (service: Handle, control: number, status: Buffer) => number
  query: Call<[service: Handle, kind: 0, status: Buffer, size: number, needed: [number]]>
  remove: (service: Handle) => number
  close: (handle: Handle) => number
}

const FUNCTIONS = {
  openManager: 'uintptr_t __stdcall OpenSCManagerW(void *, void *, uint32_t)',
  open: 'uintptr_t __stdcall OpenServiceW(uintptr_t, str16, uint32_t)',
  create:
    'uintptr_t __stdcall CreateServiceW(uintptr_t, str16, str16, uint32_t, uint32_t, uint32_t, uint32_t, str16, void *, void *, void *, void *, void *)',
  change:
    'int __stdcall ChangeServiceConfigW(uintptr_t, uint32_t, uint32_t, uint32_t, str16, void *, void *, void *, void *, void *, str16)',
  changeMore: 'int __stdcall ChangeServiceConfig2W(uintptr_t, uint32_t, uint8_t *)',
  start: 'int __stdcall StartServiceW(uintptr_t, uint32_t, void *)',
  control: 'int __stdcall ControlService(uintptr_t, uint32_t, uint8_t *)',
  query: 'int __stdcall QueryServiceStatusEx(uintptr_t, int, uint8_t *, uint32_t, _Out_ uint32_t *)',
  remove: 'int __stdcall DeleteService(uintptr_t)',
  close: 'int __stdcall CloseServiceHandle(uintptr_t)',
}

interface Kernel {
  lastError: () => number
  openProcess: (access: number, inherit: 0, pid: number) => Handle
  wait: (handle: Handle, milliseconds: 0) => number
  close: (handle: Handle) => number
}

const KERNEL = {
  lastError: 'uint32_t __stdcall GetLastError()',
  openProcess: 'uintptr_t __stdcall OpenProcess(uint32_t, int, uint32_t)',
  wait: 'uint32_t __stdcall WaitForSingleObject(uintptr_t, uint32_t)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}

const SYNCHRONIZE = 0x100000
/** WAIT_TIMEOUT. */
const STILL_RUNNING = 258
const MANAGER_ACCESS = 0x0003
const SERVICE_ACCESS = 0xf01ff
const CONTROL_STOP = 1
const STOPPED = 1
export const RUNNING = 4
/** SERVICE_STATUS_PROCESS: nine numbers of four bytes. */
const STATUS_BYTES = 36
const STATE_AT = 4
const PROCESS_ID_AT = 28
const POLL_MS = 100
const PATIENCE_MS = 40_000
const NOT_STARTED = 1062
const ALREADY_RUNNING = 1056
const DOES_NOT_EXIST = 1060

const SENTENCES: Record<number, string> = {
  5: 'only an administrator can do that',
  [ALREADY_RUNNING]: 'it is running already',
  1053: 'it did not answer in time',
  1072: 'it is still being removed. Close the services window and try again',
}

/** A service of Windows. Source: Windows API, "Service Functions" of winsvc.h. */
export class ServiceHandle implements Disposable {
  readonly name: string
  #functions: Functions
  #handle: Handle
  #kernel: Kernel

  constructor(name: string, manager: Manager, handle: Handle) {
    this.name = name
    this.#functions = manager.functions
    this.#kernel = manager.kernel
    this.#handle = handle
  }

  /** Throws CliError. */
  require(succeeded: number, what: string): void {
    if (succeeded === 0) throw failure(`failed to ${what} the service ${this.name}`, this.#kernel.lastError())
  }

  setCommand(command: string, title: string): void {
    const { change } = this.#functions
    const done = change(this.#handle, TYPE, START, ERRORS, command, null, null, null, null, null, title)
    this.require(done, 'change')
  }

  /** ChangeServiceConfig2W. Returns false if Windows refused. */
  configure(kind: number, value: Buffer): boolean {
    return this.#functions.changeMore(this.#handle, kind, value) !== 0
  }

  async start(): Promise<void> {
    if (this.#functions.start(this.#handle, 0, null) === 0 && this.#kernel.lastError() !== ALREADY_RUNNING)
      this.require(0, 'start')
    await this.#until(RUNNING)
  }

  /** Also waits for the end of its process, whose files can be replaced then. */
  async stop(): Promise<void> {
    const status = this.#query()
    const process = this.#kernel.openProcess(SYNCHRONIZE, 0, status.readUInt32LE(PROCESS_ID_AT))
    const deadline = Date.now() + PATIENCE_MS
    // A service that is starting accepts no control yet.
    while (this.#functions.control(this.#handle, CONTROL_STOP, Buffer.alloc(STATUS_BYTES)) === 0) {
      const error = this.#kernel.lastError()
      if (error === NOT_STARTED) break
      if (Date.now() > deadline) throw failure(`failed to stop the service ${this.name}`, error)
      await pause()
    }
    await this.#until(STOPPED)
    while (process !== 0 && this.#kernel.wait(process, 0) === STILL_RUNNING && Date.now() < deadline)
      await pause()
    this.#kernel.close(process)
  }

  remove(): void {
    this.require(this.#functions.remove(this.#handle), 'remove')
  }

  async #until(wanted: typeof RUNNING | typeof STOPPED): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const state = this.#query().readUInt32LE(STATE_AT)
      if (state === wanted) return
      if (wanted === RUNNING && state === STOPPED)
        throw new CliError(`the service ${this.name} ended at once. Its data folder contains a log`)
      if (Date.now() > deadline) throw new CliError(`the service ${this.name} did not answer in time`)
      await pause()
    }
  }

  #query(): Buffer {
    const status = Buffer.alloc(STATUS_BYTES)
    this.require(this.#functions.query(this.#handle, 0, status, STATUS_BYTES, [0]), 'query')
    return status
  }

  [Symbol.dispose](): void {
    this.#functions.close(this.#handle)
  }
}

/** SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START and SERVICE_ERROR_NORMAL. */
const [TYPE, START, ERRORS] = [0x10, 2, 1] as const

/** The service manager, opened to create services and to open existing ones. */
export class Manager implements Disposable {
  readonly functions: Functions
  readonly kernel: Kernel
  #handle: Handle

  private constructor(functions: Functions, kernel: Kernel) {
    this.functions = functions
    this.kernel = kernel
    this.#handle = functions.openManager(null, null, MANAGER_ACCESS)
    if (this.#handle === 0) throw failure('failed to open the service manager', kernel.lastError())
  }

  static async open(): Promise<Manager> {
    const kernel = await bindLibrary<Kernel>('kernel32.dll', KERNEL)
    return new Manager(await bindLibrary<Functions>('advapi32.dll', FUNCTIONS), kernel)
  }

  find(name: string): ServiceHandle | undefined {
    const handle = this.functions.open(this.#handle, name, SERVICE_ACCESS)
    if (handle !== 0) return new ServiceHandle(name, this, handle)
    const error = this.kernel.lastError()
    if (error !== DOES_NOT_EXIST) throw failure(`failed to open the service ${name}`, error)
    return undefined
  }

  /** Starts with Windows, as LocalSystem. */
  create(name: string, title: string, command: string): ServiceHandle {
    const { create } = this.functions
    const nothing = [null, null, null, null, null]
    const handle = create(this.#handle, name, title, SERVICE_ACCESS, TYPE, START, ERRORS, command, ...nothing)
    if (handle === 0) throw failure(`failed to create the service ${name}`, this.kernel.lastError())
    return new ServiceHandle(name, this, handle)
  }

  [Symbol.dispose](): void {
    this.functions.close(this.#handle)
  }
}

function failure(what: string, error: number): CliError {
  return new CliError(`${what}: ${SENTENCES[error] ?? `Windows error ${error}`}`)
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS))
}
