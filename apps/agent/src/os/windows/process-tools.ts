import { MAX_COMMAND } from '@muster/contract/agent/processes'
import { AgentError } from '../../errors.ts'
import { ListedProcessReader } from '../listed-processes.ts'
import { endProcesses, type ListedProcess, requireProcess } from '../end-processes.ts'
import type { EndOptions, ProcessTools, RunningProgram, SeenProcess } from '../os.ts'
import { readMemoryStatus, readSystemTimes } from './counters.ts'
import { readListeningPorts } from './listening-ports.ts'
import { type ProcessDetails, readProcessDetails } from './process-details.ts'
import { listWindowsProcesses, type WindowsProcess } from './process-list.ts'
import { bindLibrary, type Call, type Handle, loadErrors } from './win32.ts'

export const windowsProcessTools: ProcessTools = {
  everyMs: 1000,
  openReader() {
    let known = new Map<string, ProcessDetails>()
    return new ListedProcessReader(async () => {
      const ports = await readListeningPorts()
      const before = known
      known = new Map()
      const processes: SeenProcess[] = []
      for (const found of await listWindowsProcesses()) {
        const key = `${found.pid} ${found.start}`
        const details = before.get(key) ?? (await readProcessDetails(found.pid))
        known.set(key, details)
        processes.push(describeProcess(found, details, ports.of(found.pid)))
      }
      const { totalBytes, availableBytes } = await readMemoryStatus()
      return {
        processes,
        cpu: await readSystemTimes(),
        memory: { totalBytes, usedBytes: totalBytes - availableBytes },
      }
    })
  },
  end: endWindowsProcess,
  async setPriority(target, nice) {
    const found = requireProcess(await listProcesses(), target)
    const why = vital(found)
    if (why !== undefined) throw new AgentError(why)
    const { kernel } = await loadFunctions()
    await change(found, { access: SET_INFORMATION, verb: 'change the priority of' }, (process) =>
      kernel.setPriority(process, classOf(nice)),
    )
    return found.name
  },
  async listPrograms() {
    const programs: RunningProgram[] = []
    for (const { pid, start, parent, name } of await listWindowsProcesses()) {
      const isNode = name.toLowerCase() === 'node.exe'
      const nodeCommand = isNode ? (await readProcessDetails(pid)).command : ''
      programs.push({ pid, start, parent, nodeCommand })
    }
    return programs
  },
}

const UNIX_MS = 11_644_473_600_000n
const TICKS_PER_MS = 10_000n
/** The end of the year 9999. A process that is just starting may have any number as its start. */
const LAST_MS = 253_402_300_799_999
/** Base priorities by Node's priority numbers. */
const NICE: Partial<Record<number, number>> = { 4: 19, 6: 10, 8: 0, 10: -7, 13: -14, 24: -20 }

export function describeProcess(
  { pid, parent, name, start, cpuTicks, memoryBytes, basePriority }: WindowsProcess,
  { command, username }: ProcessDetails,
  ports: SeenProcess['process']['ports'],
): SeenProcess {
  const startMs = Number(BigInt(start) / TICKS_PER_MS - UNIX_MS)
  const process = {
    pid,
    start,
    parent_pid: parent,
    name: name.slice(0, 255),
    command: command.slice(0, MAX_COMMAND),
    username: username.slice(0, 255),
    started_at: startMs > 0 && startMs <= LAST_MS ? new Date(startMs).toISOString() : null,
    state: 'running' as const,
    nice: NICE[basePriority] ?? null,
    ports,
  }
  return { process, cpuSeconds: cpuTicks / 1e7, memoryBytes }
}

/** Windows stops at once without these. */
const VITAL = new Set([
  'system',
  'smss.exe',
  'csrss.exe',
  'wininit.exe',
  'services.exe',
  'lsass.exe',
  'winlogon.exe',
])

function vital({ pid, name }: ListedProcess): string | undefined {
  return VITAL.has(name.toLowerCase()) ? `Windows cannot run without process ${pid} (${name}).` : undefined
}

async function listProcesses(): Promise<ListedProcess[]> {
  const seen = await listWindowsProcesses()
  return seen.map(({ pid, parent, start, name }) => ({ pid, parent, start, name, isStopped: false }))
}

interface Kernel {
  open: Call<[access: number, inherit: 0, pid: number], Handle>
  terminate: Call<[process: Handle, code: number]>
  setPriority: Call<[process: Handle, kind: number]>
  close: Call<[handle: Handle]>
}
interface User {
  nextWindow: Call<[parent: 0, after: Handle, kind: null, title: null, ...padding: null[]], Handle>
  findOwner: Call<[window: Handle, pid: [number], ...padding: null[]]>
  post: Call<[window: Handle, message: number, first: 0, second: 0, ...padding: null[]]>
}
const KERNEL: Record<keyof Kernel, string> = {
  open: 'uintptr_t __stdcall OpenProcess(uint32_t, int, uint32_t)',
  terminate: 'int __stdcall TerminateProcess(uintptr_t, uint32_t)',
  setPriority: 'int __stdcall SetPriorityClass(uintptr_t, uint32_t)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}
/** Wine reads twelve parameters from the stack. */
const padding = (given: number) => ', void *'.repeat(12 - given)
const nothing = (given: number) => Array.from({ length: 12 - given }, () => null)
const USER: Record<keyof User, string> = {
  nextWindow: `uintptr_t __stdcall FindWindowExW(uintptr_t, uintptr_t, void *, void *${padding(4)})`,
  findOwner: `uint32_t __stdcall GetWindowThreadProcessId(uintptr_t, _Out_ uint32_t *${padding(2)})`,
  post: `int __stdcall PostMessageW(uintptr_t, uint32_t, uintptr_t, uintptr_t${padding(4)})`,
}
const TERMINATE = 0x1
const SET_INFORMATION = 0x200
const WM_CLOSE = 0x10
const MAX_WINDOWS = 10_000
/** OpenProcess of a process that has ended. */
const INVALID_PARAMETER = 87
/** Priority classes from the highest to the lowest, each with the highest number that it does not have. */
const CLASSES: [below: number, kind: number][] = [
  [-14, 0x100],
  [-7, 0x80],
  [0, 0x8000],
  [10, 0x20],
  [19, 0x4000],
]
const IDLE_CLASS = 0x40

/** The priority class that Node's number stands for. */
export function classOf(nice: number): number {
  return CLASSES.find(([below]) => nice < below)?.[1] ?? IDLE_CLASS
}

let loaded: Promise<{ kernel: Kernel; user: User }> | undefined

function loadFunctions() {
  loaded ??= Promise.all([
    bindLibrary<Kernel>('kernel32.dll', KERNEL),
    bindLibrary<User>('user32.dll', USER),
  ]).then(([kernel, user]) => ({ kernel, user }))
  return loaded
}

async function endWindowsProcess(
  target: ListedProcess | { pid: number; start: string },
  options: EndOptions,
) {
  const { kernel, user } = await loadFunctions()
  return endProcesses(target, options, {
    list: listProcesses,
    vital,
    async signal(entry, force) {
      if (force) {
        const how = { access: TERMINATE, verb: 'end' }
        return change(entry, how, (process) => kernel.terminate(process, 1))
      }
      if (closeWindows(user, entry.pid) === 0 && !options.tree)
        throw new AgentError(
          `Process ${entry.pid} (${entry.name}) has no window that the agent can close. Use force to end it.`,
        )
    },
  })
}

/** Opens a process for one change. Throws AgentError with the message of Windows. */
async function change(
  { pid, name }: ListedProcess,
  { access, verb }: { access: number; verb: string },
  apply: (process: Handle) => number,
): Promise<void> {
  const { kernel } = await loadFunctions()
  const { last, describe } = await loadErrors()
  const process = kernel.open(access, 0, pid)
  const isOpen = Number(process) !== 0
  const isDone = isOpen && apply(process) !== 0
  const error = isDone ? 0 : last()
  if (isOpen) kernel.close(process)
  // A process that has just ended needs nothing.
  if (isDone || (!isOpen && error === INVALID_PARAMETER)) return
  throw new AgentError(`Windows refused to ${verb} process ${pid} (${name}): ${describe(error)}`)
}

/** Asks the windows of a process to close, as their close button does. Returns their number. */
function closeWindows(user: User, pid: number): number {
  let count = 0
  let window: Handle = 0
  for (let index = 0; index < MAX_WINDOWS; index += 1) {
    window = user.nextWindow(0, window, null, null, ...nothing(4))
    if (Number(window) === 0) break
    const owner: [number] = [0]
    user.findOwner(window, owner, ...nothing(2))
    if (owner[0] !== pid) continue
    user.post(window, WM_CLOSE, 0, 0, ...nothing(4))
    count += 1
  }
  return count
}
