import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import {
  endProcesses,
  type ListedProcess,
  requireProcess,
  setProcessPriority,
  signalPosix,
} from '../end-processes.ts'
import { AgentError } from '../../errors.ts'
import type { ProcessTools, RunningProgram } from '../os.ts'
import { linuxProcessNames } from '../process-names.ts'
import { readCommandLine } from './proc-named.ts'
import { LinuxProcessReader } from './process-reader.ts'
import { isEnded, type ProcStat, readProcStat } from './proc-stat.ts'

export const linuxProcessTools: ProcessTools = {
  everyMs: 1000,
  openReader: () => new LinuxProcessReader(),
  end: (target, options) =>
    endProcesses(target, options, { list: () => listProcesses(target.pid), vital, signal: signalPosix }),
  async setPriority(target, nice) {
    const found = requireProcess(await listProcesses(target.pid), target)
    const why = vital(found)
    if (why !== undefined) throw new AgentError(why)
    // On Linux each thread has its own priority.
    for (const thread of listThreads(target.pid)) setProcessPriority(found, nice, thread)
    return found.name
  },
  listPrograms: async () => listPrograms(),
}

/** The parent of all kernel threads. In a container, any process may have this number. */
const KERNEL = 2

function vital({ pid, parent }: ListedProcess): string | undefined {
  if (pid === 1) return 'Process 1 keeps the machine running. Restart the machine instead.'
  const isOfKernel = (pid === KERNEL || parent === KERNEL) && readProcStat(KERNEL)?.name === 'kthreadd'
  return isOfKernel ? `Process ${pid} is part of the kernel.` : undefined
}

/** All processes. Only the target has its full name, because command lines are slow to read. */
async function listProcesses(target: number): Promise<ListedProcess[]> {
  const commandLine = await readCommandLine(target)
  return listStats().map(({ pid, parent, start, name, state }) => ({
    pid,
    parent,
    start,
    name: pid === target ? linuxProcessNames(name, commandLine)[0] : name,
    isStopped: state === 'T' || state === 't',
  }))
}

function listPrograms(): RunningProgram[] {
  const root = statSync('/')
  return listStats().map(({ pid, start, parent }) => ({
    pid,
    start,
    parent,
    nodeCommand: readNodeCommand(pid, root),
  }))
}

function listStats(): ProcStat[] {
  return readdirSync('/proc').flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readProcStat(Number(entry)) : undefined
    return stat === undefined || isEnded(stat) ? [] : [stat]
  })
}

/**
 * A host sees the processes of its containers, and a chroot those of its host, with paths that mean other files there.
 * They have another root.
 */
function readNodeCommand(pid: number, root: { dev: number; ino: number }): string {
  try {
    // The program may have been replaced or deleted: "/opt/node (deleted)".
    if (!/^node\b/.test(basename(readlinkSync(`/proc/${pid}/exe`)))) return ''
    const own = statSync(`/proc/${pid}/root`)
    if (own.dev !== root.dev || own.ino !== root.ino) return ''
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ')
  } catch {
    // It has just exited, is a part of the kernel, or belongs to another user.
    return ''
  }
}

function listThreads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    throw new AgentError(`Process ${pid} has already exited.`)
  }
}
