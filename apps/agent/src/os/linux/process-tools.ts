import { readdirSync } from 'node:fs'
import {
  endProcesses,
  type ListedProcess,
  requireProcess,
  setProcessPriority,
  signalPosix,
} from '../end-processes.ts'
import { AgentError } from '../../errors.ts'
import type { ProcessTools } from '../os.ts'
import { LinuxProcessReader } from './process-reader.ts'
import { isEnded, readProcStat } from './proc-stat.ts'

export const linuxProcessTools: ProcessTools = {
  everyMs: 1000,
  openReader: () => new LinuxProcessReader(),
  end: (target, options) =>
    endProcesses(target, options, { list: async () => listProcesses(), vital, signal: signalPosix }),
  async setPriority(target, nice) {
    const found = requireProcess(listProcesses(), target)
    const why = vital(found)
    if (why !== undefined) throw new AgentError(why)
    // On Linux each thread has its own priority.
    for (const thread of listThreads(target.pid)) setProcessPriority(found, nice, thread)
    return found.name
  },
}

/** The parent of all kernel threads. In a container, any process may have this number. */
const KERNEL = 2

function vital({ pid, parent }: ListedProcess): string | undefined {
  if (pid === 1) return 'Process 1 keeps the machine running. Restart the machine instead.'
  const isOfKernel = (pid === KERNEL || parent === KERNEL) && readProcStat(KERNEL)?.name === 'kthreadd'
  return isOfKernel ? `Process ${pid} is part of the kernel.` : undefined
}

function listProcesses(): ListedProcess[] {
  return readdirSync('/proc').flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readProcStat(Number(entry)) : undefined
    if (stat === undefined || isEnded(stat)) return []
    const { pid, parent, start, name, state } = stat
    return [{ pid, parent, start, name, isStopped: state === 'T' || state === 't' }]
  })
}

function listThreads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    throw new AgentError(`Process ${pid} has already exited.`)
  }
}
