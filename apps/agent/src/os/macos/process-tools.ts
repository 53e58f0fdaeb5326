import { totalmem } from 'node:os'
import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { AskedProcessReader } from '../asked-processes.ts'
import { readCpuTimes } from '../cpu-times.ts'
import { DescribedPorts } from '../described-ports.ts'
import {
  endProcesses,
  type ListedProcess,
  requireProcess,
  setProcessPriority,
  signalPosix,
} from '../end-processes.ts'
import { MachineRefused } from '../machine-refused.ts'
import type { ProcessTools } from '../process-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { parseVmStat } from './memory.ts'
import { parseLsof, parsePsProcesses, PS_COLUMNS } from './process-list.ts'

const LIMIT_MS = 20_000
const PORTS_EVERY_LOOKS = 5

export const macosProcessTools: ProcessTools = {
  everyMs: 2000,
  openReader() {
    let looks = 0
    let ports = new DescribedPorts()
    return new AskedProcessReader(async (signal) => {
      if (looks % PORTS_EVERY_LOOKS === 0) ports = await askPorts(signal)
      looks += 1
      const [processes, pages] = await Promise.all([
        askProcesses(signal, ports),
        runTool('vm_stat', [], { signal, timeoutMs: LIMIT_MS }),
      ])
      const usedBytes = Math.max(0, totalmem() - parseVmStat(pages.stdout))
      return { processes, cpu: readCpuTimes(), memory: { totalBytes: totalmem(), usedBytes } }
    })
  },
  end: (target, options) =>
    endProcesses(target, options, { list: listProcesses, vital, signal: signalPosix }),
  async setPriority(target, nice) {
    const found = requireProcess(await listProcesses(), target)
    const why = vital(found)
    if (why !== undefined) throw new MachineRefused(why)
    setProcessPriority(found, nice)
    return found.name
  },
}

function vital({ pid }: ListedProcess): string | undefined {
  return pid <= 1 ? `Process ${pid} keeps the machine running. Restart the machine instead.` : undefined
}

async function listProcesses(): Promise<ListedProcess[]> {
  const seen = await askProcesses(AbortSignal.timeout(LIMIT_MS), new DescribedPorts())
  return seen.flatMap(({ process: { pid, parent_pid: parent, start, name, state } }) =>
    state === 'ended' ? [] : [{ pid, parent, start, name, isStopped: state === 'stopped' }],
  )
}

async function askProcesses(signal: AbortSignal, ports: DescribedPorts) {
  const [all, names] = await Promise.all([
    runTool('ps', ['-axww', '-o', PS_COLUMNS], { signal, timeoutMs: LIMIT_MS }),
    runTool('ps', ['-ax', '-o', 'pid=,comm='], { signal, timeoutMs: LIMIT_MS }),
  ])
  if (all.code !== 0) throw new Unmeasurable(`The processes cannot be listed: ${firstLine(all.stderr)}`)
  return parsePsProcesses(all.stdout, names.stdout, ports)
}

async function askPorts(signal: AbortSignal): Promise<DescribedPorts> {
  const args = ['-nP', '-iTCP', '-sTCP:LISTEN', '-iUDP', '-FpPn']
  try {
    return parseLsof((await runTool('lsof', args, { signal, timeoutMs: LIMIT_MS })).stdout)
  } catch (cause) {
    // A list without ports is better than none.
    if (cause instanceof Unmeasurable) return new DescribedPorts()
    throw cause
  }
}
