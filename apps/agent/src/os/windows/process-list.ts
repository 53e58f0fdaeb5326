import { AgentError } from '../../errors.ts'
import { loadNtdll, readUnicodeString, type Structure } from './ntdll.ts'

/** SystemProcessInformation */
const PROCESSES = 5

export interface WindowsProcess {
  pid: number
  parent: number
  name: string
  /** Ticks of 100 ns since 1601, as text: identifies the process together with its number. */
  start: string
  /** Ticks of 100 ns of all threads, in user and kernel mode. */
  cpuTicks: number
  memoryBytes: number
  basePriority: number
}

/** All processes but the idle time, from one call of about a millisecond. */
export const listWindowsProcesses = async (): Promise<WindowsProcess[]> => (await loadProcessList())()

/** `listWindowsProcesses` for a moment at which nothing else may run. */
export async function loadProcessList(): Promise<() => WindowsProcess[]> {
  const { querySystem } = await loadNtdll()
  return () => {
    const structure = querySystem(PROCESSES)
    const processes = structure === undefined ? [] : decodeProcesses(structure)
    // The agent itself is one.
    if (processes.length === 0) throw new AgentError('Failed to list the processes: Windows returned none.')
    return processes
  }
}

/** SYSTEM_PROCESS_INFORMATION on 64 bits: each entry has the offset of the next one. */
export function decodeProcesses(structure: Structure): WindowsProcess[] {
  const { buffer } = structure
  const processes: WindowsProcess[] = []
  for (let at = 0; ;) {
    const ticks = buffer.readBigUInt64LE(at + 0x28) + buffer.readBigUInt64LE(at + 0x30)
    const pid = Number(buffer.readBigUInt64LE(at + 0x50))
    if (pid !== 0)
      processes.push({
        pid,
        parent: Number(buffer.readBigUInt64LE(at + 0x58)),
        name: readUnicodeString(structure, at + 0x38),
        start: buffer.readBigUInt64LE(at + 0x20).toString(),
        cpuTicks: Number(ticks),
        memoryBytes: Number(buffer.readBigUInt64LE(at + 0x90)),
        basePriority: buffer.readInt32LE(at + 0x48),
      })
    const next = buffer.readUInt32LE(at)
    if (next === 0) return processes
    at += next
  }
}
