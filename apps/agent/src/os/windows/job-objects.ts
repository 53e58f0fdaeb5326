import { AgentError } from '../../errors.ts'
import type { RunGroup } from '../os.ts'
import { loadProcessList, type WindowsProcess } from './process-list.ts'
import { bindLibrary, type Handle } from './win32.ts'

interface Kernel {
  createJob: (security: null, name: null) => Handle
  openProcess: (access: number, inherit: 0, pid: number) => Handle
  assign: (job: Handle, process: Handle) => number
  setLimits: (job: Handle, kind: number, limits: Buffer, size: number) => number
  terminate: (job: Handle, code: number) => number
  close: (handle: Handle) => number
}

const KERNEL = {
  createJob: 'uintptr_t __stdcall CreateJobObjectW(void *, void *)',
  openProcess: 'uintptr_t __stdcall OpenProcess(uint32_t, int, uint32_t)',
  assign: 'int __stdcall AssignProcessToJobObject(uintptr_t, uintptr_t)',
  setLimits: 'int __stdcall SetInformationJobObject(uintptr_t, int, uint8_t *, uint32_t)',
  terminate: 'int __stdcall TerminateJobObject(uintptr_t, uint32_t)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}

/** PROCESS_SET_QUOTA and PROCESS_TERMINATE, which an assignment needs. */
const ASSIGN_ACCESS = 0x0101
/** JobObjectExtendedLimitInformation: 144 bytes on 64 bits, LimitFlags at byte 16. */
const EXTENDED_LIMITS = 9
const LIMITS_BYTES = 144
const FLAGS_AT = 16
const KILL_ON_JOB_CLOSE = 0x2000

const jobs = new Map<string, { job: Handle; users: number }>()
let loaded: Promise<Kernel> | undefined

/**
 * A job object for the processes of a run: Windows puts the children of its processes into it, also those whose parent
 * has ended. They end with the agent as long as the run lasts. Those with the same marker share one. Source: Windows
 * API, "Job Objects".
 */
export async function openJob(marker: string): Promise<RunGroup> {
  const kernel = await (loaded ??= bindLibrary<Kernel>('kernel32.dll', KERNEL))
  const listProcesses = await loadProcessList()
  const shared = jobs.get(marker) ?? { job: createJob(kernel), users: 0 }
  shared.users += 1
  jobs.set(marker, shared)
  const { job } = shared
  let isOpen = true
  return {
    add(pid) {
      if (!assign(kernel, job, pid)) throw new AgentError('Windows refused to put the process into a job.')
      // Between its start and this line it may have started children, which are not in the job.
      const held = new Set([pid])
      for (let early = [pid]; early.length > 0;) {
        early = findChildren(listProcesses(), held)
        for (const child of early) {
          held.add(child)
          // One that has ended meanwhile cannot be added.
          assign(kernel, job, child)
        }
      }
    },
    close() {
      if (!isOpen) return
      isOpen = false
      shared.users -= 1
      if (shared.users > 0) return
      jobs.delete(marker)
      // Processes that the run left in the background continue.
      setFlags(kernel, job, 0)
      kernel.close(job)
    },
  }
}

function assign(kernel: Kernel, job: Handle, pid: number): boolean {
  const process = kernel.openProcess(ASSIGN_ACCESS, 0, pid)
  const isAssigned = kernel.assign(job, process) !== 0
  kernel.close(process)
  return isAssigned
}

/** Windows gives the number of an ended process to a new one, so a child must be younger than its parent. */
function findChildren(processes: WindowsProcess[], held: ReadonlySet<number>): number[] {
  const starts = new Map(processes.map(({ pid, start }) => [pid, BigInt(start)]))
  return processes
    .filter(({ pid, parent, start }) => {
      const since = starts.get(parent)
      return held.has(parent) && !held.has(pid) && (since === undefined || BigInt(start) >= since)
    })
    .map(({ pid }) => pid)
}

/** Ends all processes of a run. Returns false if this agent did not start it. */
export async function terminateJob(marker: string): Promise<boolean> {
  const shared = jobs.get(marker)
  if (shared === undefined || loaded === undefined) return false
  return (await loaded).terminate(shared.job, 1) !== 0
}

function createJob(kernel: Kernel): Handle {
  const job = kernel.createJob(null, null)
  setFlags(kernel, job, KILL_ON_JOB_CLOSE)
  return job
}

function setFlags(kernel: Kernel, job: Handle, flags: number): void {
  const limits = Buffer.alloc(LIMITS_BYTES)
  limits.writeUInt32LE(flags, FLAGS_AT)
  kernel.setLimits(job, EXTENDED_LIMITS, limits, LIMITS_BYTES)
}
