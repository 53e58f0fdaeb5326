import { freemem, totalmem } from 'node:os'
import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { AskedProcessReader } from '../asked-processes.ts'
import { readCpuTimes } from '../cpu-times.ts'
import { DescribedPorts } from '../described-ports.ts'
import { endProcesses, type ListedProcess, requireProcess, setProcessPriority } from '../end-processes.ts'
import { MachineRefused } from '../machine-refused.ts'
import type { ProcessTools } from '../process-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { parseNetstatPorts, parseWindowsProcesses, PROCESS_SCRIPT } from './process-list.ts'

/** PowerShell alone takes seconds to start on a small machine. */
const LIMIT_MS = 30_000
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

export const windowsProcessTools: ProcessTools = {
  everyMs: 5000,
  openReader: () =>
    new AskedProcessReader(async (signal) => {
      const netstat = await runTool('netstat', ['-ano'], { signal, timeoutMs: LIMIT_MS })
      return {
        processes: await askProcesses(signal, parseNetstatPorts(netstat.stdout)),
        cpu: readCpuTimes(),
        memory: { totalBytes: totalmem(), usedBytes: totalmem() - freemem() },
      }
    }),
  end: (target, options) =>
    endProcesses(target, options, {
      list: listProcesses,
      vital,
      async signal({ pid }, force) {
        const signal = AbortSignal.timeout(LIMIT_MS)
        // Whether it helped is looked at afterwards: what taskkill says is translated.
        await runTool('taskkill', [...(force ? ['/F'] : []), '/PID', String(pid)], {
          signal,
          timeoutMs: LIMIT_MS,
        })
      },
    }),
  async setPriority(target, nice) {
    const found = requireProcess(await listProcesses(), target)
    const why = vital(found)
    if (why !== undefined) throw new MachineRefused(why)
    setProcessPriority(found, nice)
    return found.name
  },
}

function vital({ pid, name }: ListedProcess): string | undefined {
  return VITAL.has(name.toLowerCase()) ? `Windows cannot go on without process ${pid} (${name}).` : undefined
}

async function listProcesses(): Promise<ListedProcess[]> {
  const seen = await askProcesses(AbortSignal.timeout(LIMIT_MS), new DescribedPorts())
  return seen.map(({ process: { pid, parent_pid: parent, start, name } }) => ({
    pid,
    parent,
    start,
    name,
    isStopped: false,
  }))
}

async function askProcesses(signal: AbortSignal, ports: DescribedPorts) {
  const args = ['-NoProfile', '-NonInteractive', '-Command', PROCESS_SCRIPT]
  const { stdout, stderr } = await runTool('powershell', args, { signal, timeoutMs: LIMIT_MS })
  const processes = parseWindowsProcesses(stdout, ports)
  if (processes === undefined)
    throw new Unmeasurable(`The processes cannot be listed: ${firstLine(stderr, stdout)}`)
  return processes
}
