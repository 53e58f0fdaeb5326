import { CliError } from '../../errors.ts'
import type { ServiceWork } from '../os.ts'
import { bindLibrary, type Handle, loadKoffi } from './win32.ts'

interface Dispatcher {
  register: (name: string, handler: unknown, context: null) => Handle
  report: (service: Handle, status: Buffer) => number
}

const OWN_PROCESS = 0x10
const STATE = { stopped: 1, starting: 2, stopping: 3, running: 4 } as const
const CONTROL = { stop: 1, interrogate: 4, shutdown: 5 } as const
const ACCEPTS_STOP_AND_SHUTDOWN = 0x0005
const SPECIFIC_ERROR = 1066
/** Windows waits so long before it regards a start or a stop as failed. */
const WAIT_HINT_MS = 20_000
const NOT_IMPLEMENTED = 120

/**
 * Runs `work` as the service that Windows has started this process for, until `work` ends, and returns how it ended.
 * `stopped` resolves when Windows stops the service or shuts down. Throws CliError if Windows did not start this process
 * as a service.
 *
 * The dispatcher blocks a thread of its own until the service has stopped. Windows calls back on other threads; koffi
 * passes these calls to this one. Source: Windows API, StartServiceCtrlDispatcherW.
 */
export async function hostService(work: ServiceWork): Promise<'stopped' | 'restart'> {
  const koffi = await loadKoffi()
  const advapi = await bindLibrary<Dispatcher>('advapi32.dll', {
    register: 'uintptr_t __stdcall RegisterServiceCtrlHandlerExW(str16, void *, void *)',
    report: 'int __stdcall SetServiceStatus(uintptr_t, uint8_t *)',
  })
  const stop = Promise.withResolvers<string>()
  let service: Handle = 0
  let state: number = STATE.starting
  const report = (next: number, failed = false) => {
    state = next
    advapi.report(service, statusBytes(next, failed))
  }
  const handler = koffi.register(
    (control: number) => {
      if (control === CONTROL.interrogate) report(state)
      else if (control === CONTROL.stop || control === CONTROL.shutdown) {
        report(STATE.stopping)
        stop.resolve(control === CONTROL.stop ? 'the service was stopped' : 'the machine shuts down')
      } else return NOT_IMPLEMENTED
      return 0
    },
    koffi.pointer(
      koffi.proto(
        'uint32_t __stdcall HandlerEx(uint32_t control, uint32_t event, void *data, void *context)',
      ),
    ),
  )
  const main = koffi.register(
    () => {
      // The name is not used in a process with one service.
      service = advapi.register('', handler, null)
      report(STATE.running)
      void work(stop.promise).then(
        (end) => {
          result = end
          // Windows restarts a service that has failed, also if this process cannot.
          report(STATE.stopped, end === 'restart')
        },
        (cause: unknown) => {
          failure = cause
          report(STATE.stopped, true)
        },
      )
    },
    koffi.pointer(koffi.proto('void __stdcall ServiceMain(uint32_t count, void *values)')),
  )
  let failure: unknown
  let result: 'stopped' | 'restart' = 'stopped'
  await dispatch(await entryTable('', main))
  if (failure !== undefined) throw failure
  return result
}

/** SERVICE_STATUS: type, state, accepted controls, exit code, own exit code, check point, wait hint. */
function statusBytes(state: number, failed: boolean): Buffer {
  const isBusy = state === STATE.starting || state === STATE.stopping
  const accepted = state === STATE.running ? ACCEPTS_STOP_AND_SHUTDOWN : 0
  const errors = failed ? [SPECIFIC_ERROR, 1] : [0, 0]
  const numbers = [OWN_PROCESS, state, accepted, ...errors, 0, isBusy ? WAIT_HINT_MS : 0]
  return Buffer.from(Uint32Array.from(numbers).buffer)
}

/** SERVICE_TABLE_ENTRYW: addresses of the name and of ServiceMain, and an empty entry as the end. */
async function entryTable(name: string, main: unknown): Promise<{ table: Buffer; name: Buffer }> {
  const { address } = await loadKoffi()
  const text = Buffer.from(`${name}\0`, 'utf16le')
  const table = Buffer.alloc(32)
  table.writeBigUInt64LE(address(text), 0)
  table.writeBigUInt64LE(address(main), 8)
  return { table, name: text }
}

async function dispatch({ table, name }: { table: Buffer; name: Buffer }): Promise<void> {
  const library = (await loadKoffi()).load('advapi32.dll')
  const start = library.func('int __stdcall StartServiceCtrlDispatcherW(uint8_t *)')
  const succeeded = await new Promise((resolve, reject) => {
    start.async(table, (error: unknown, result: unknown) =>
      error === null ? resolve(result) : reject(error),
    )
  })
  // The dispatcher reads the name as long as it runs.
  if (succeeded === 0 || name.length === 0)
    throw new CliError('"service" is started by the service manager of Windows. Use "run" instead')
}
