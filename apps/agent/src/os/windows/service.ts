import { createHash } from 'node:crypto'
import type { Service } from '../os.ts'
import { startDetachedProcess } from '../unsupported.ts'
import { Manager, type ServiceHandle } from './service-control.ts'
import { loadKoffi } from './win32.ts'

const TITLE = 'Muster agent'
const DESCRIPTION = 'Connects this machine to the Muster server of its administrator.'

export const windowsService: Service = {
  async install({ folder, program }) {
    const name = serviceName(folder)
    const command = serviceCommand(folder, program)
    using manager = await Manager.open()
    using service = manager.find(name) ?? manager.create(name, TITLE, command)
    // After a repeated installation it may run, and have another program.
    await service.stop()
    service.setCommand(command, TITLE)
    await configure(service)
    await service.start()
    return `The service ${name} is running.`
  },
  async uninstall(folder) {
    const name = serviceName(folder)
    using manager = await Manager.open()
    using service = manager.find(name)
    if (service === undefined) return 'There was no service to remove.'
    await service.stop()
    service.remove()
    return `The service ${name} was stopped and removed.`
  },
  async startDetached(program) {
    startDetachedProcess(program)
  },
  async host(folder, work) {
    const end = await (await import('./service-host.ts')).hostService(work)
    if (end === 'restart') await startAgain(serviceName(folder))
  },
}

/** Windows waits 30 s for each start of a version that crashes, and the launcher gives it up after three. */
const RESTART_PATIENCE_MS = 5 * 60_000
const RESTART_PAUSE_MS = 2000

/**
 * Starts the service whose process this is, after it has stopped, until it runs. A version that ends before it has
 * connected to the service manager is no crash for Windows, which would not start it again.
 */
async function startAgain(name: string): Promise<void> {
  const deadline = Date.now() + RESTART_PATIENCE_MS
  for (;;) {
    try {
      using manager = await Manager.open()
      using service = manager.find(name)
      // It was removed meanwhile.
      if (service === undefined) return
      return await service.start()
    } catch (cause) {
      if (Date.now() > deadline) throw cause
      await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS))
    }
  }
}

/** Each data folder has its own service. */
export function serviceName(folder: string): string {
  const path = folder.toLowerCase()
  if (path.endsWith(String.raw`\programdata\muster agent`)) return 'MusterAgent'
  return `MusterAgent-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`
}

/**
 * The command line of the service. The program is always quoted: for an unquoted `C:\Program Files\...` Windows tries
 * `C:\Program.exe` first, which another user may have put there.
 */
export function serviceCommand(folder: string, [node = '', ...rest]: readonly string[]): string {
  return [`"${node}"`, ...[...rest, 'service', '--data', folder].map(quote)].join(' ')
}

/** In the notation of CommandLineToArgvW, which doubles backslashes before a quote. */
function quote(text: string): string {
  if (/^[^\s"]+$/.test(text)) return text
  return `"${text.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`
}

// Kinds of ChangeServiceConfig2W.
const KIND = { description: 1, failureActions: 2, delayedStart: 3, failureActionsFlag: 4 } as const
const RESTART_DELAYS_MS = [5000, 30_000, 60_000]
/** Without a failure for a day, Windows starts again with the first delay. */
const RESET_SECONDS = 86_400
const RESTART = 1

/** Delayed start with Windows, and a restart after a crash. */
async function configure(service: ServiceHandle): Promise<void> {
  const { address } = await loadKoffi()
  const text = Buffer.from(`${DESCRIPTION}\0`, 'utf16le')
  const description = Buffer.alloc(8)
  description.writeBigUInt64LE(address(text))
  service.require(Number(service.configure(KIND.description, description)), 'describe')

  const actions = restartActions()
  const failure = failureActions(address(actions))
  service.require(Number(service.configure(KIND.failureActions, failure)), 'configure the restart of')

  const yes = Buffer.alloc(4)
  yes.writeUInt32LE(1)
  service.require(Number(service.configure(KIND.delayedStart, yes)), 'delay the start of')
  // Also after it ended with an error. Wine has no such setting, and Windows restarts after crashes without it.
  service.configure(KIND.failureActionsFlag, yes)
}

/** SC_ACTION, eight bytes each: type and delay in ms. */
export function restartActions(): Buffer {
  return Buffer.from(Uint32Array.from(RESTART_DELAYS_MS.flatMap((delayMs) => [RESTART, delayMs])).buffer)
}

/** SERVICE_FAILURE_ACTIONSW: seconds, two texts, the number of actions at byte 24, their address at byte 32. */
export function failureActions(actionsAddress: bigint): Buffer {
  const failure = Buffer.alloc(40)
  failure.writeUInt32LE(RESET_SECONDS, 0)
  failure.writeUInt32LE(RESTART_DELAYS_MS.length, 24)
  failure.writeBigUInt64LE(actionsAddress, 32)
  return failure
}
