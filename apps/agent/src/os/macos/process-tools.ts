import { totalmem } from 'node:os'
import { type MachineProcess, MAX_COMMAND } from '@muster/contract/agent/processes'
import { AgentError, MeasureError } from '../../errors.ts'
import { ListedProcessReader, DescribedPorts } from '../listed-processes.ts'
import { readCpuTimes } from '../node-os.ts'
import {
  endProcesses,
  type ListedProcess,
  requireProcess,
  setProcessPriority,
  signalPosix,
} from '../end-processes.ts'
import type { ProcessTools, SeenProcess } from '../os.ts'
import { programName } from '../process-names.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { parseVmStat } from './counters.ts'

const LIMIT_MS = 20_000
const PORTS_EVERY_ROUNDS = 5

export const macosProcessTools: ProcessTools = {
  everyMs: 2000,
  openReader() {
    let looks = 0
    let ports = new DescribedPorts()
    return new ListedProcessReader(async (signal) => {
      if (looks % PORTS_EVERY_ROUNDS === 0) ports = await listRawPorts(signal)
      looks += 1
      const [processes, pages] = await Promise.all([
        listRawProcesses(signal, ports),
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
    if (why !== undefined) throw new AgentError(why)
    setProcessPriority(found, nice)
    return found.name
  },
  async listPrograms() {
    const seen = await listRawProcesses(AbortSignal.timeout(LIMIT_MS), new DescribedPorts())
    return seen.flatMap(({ process: { pid, start, parent_pid: parent, name, command, state } }) =>
      state === 'ended' ? [] : [{ pid, start, parent, nodeCommand: name === 'node' ? command : '' }],
    )
  },
}

function vital({ pid }: ListedProcess): string | undefined {
  return pid <= 1 ? `Process ${pid} keeps the machine running. Restart the machine instead.` : undefined
}

async function listProcesses(): Promise<ListedProcess[]> {
  const seen = await listRawProcesses(AbortSignal.timeout(LIMIT_MS), new DescribedPorts())
  return seen.flatMap(({ process: { pid, parent_pid: parent, start, name, state } }) =>
    state === 'ended' ? [] : [{ pid, parent, start, name, isStopped: state === 'stopped' }],
  )
}

export async function listRawProcesses(signal: AbortSignal, ports: DescribedPorts): Promise<SeenProcess[]> {
  const [all, names] = await Promise.all([
    runTool('ps', ['-axww', '-o', PS_COLUMNS], { signal, timeoutMs: LIMIT_MS }),
    runTool('ps', ['-ax', '-o', 'pid=,comm='], { signal, timeoutMs: LIMIT_MS }),
  ])
  if (all.code !== 0) throw new MeasureError(`Failed to list the processes: ${firstLine(all.stderr)}`)
  return parsePsProcesses(all.stdout, names.stdout, ports)
}

async function listRawPorts(signal: AbortSignal): Promise<DescribedPorts> {
  const args = ['-nP', '-iTCP', '-sTCP:LISTEN', '-iUDP', '-FpPn']
  try {
    return parseLsof((await runTool('lsof', args, { signal, timeoutMs: LIMIT_MS })).stdout)
  } catch (cause) {
    // A list without ports is better than none.
    if (cause instanceof MeasureError) return new DescribedPorts()
    throw cause
  }
}

const PS_COLUMNS = 'pid=,ppid=,user=,stat=,nice=,rss=,time=,lstart=,command='

const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s+(\d+)\s+([\d:.-]+)\s+(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\s+(.*)$/

/** From `ps -axww -o PS_COLUMNS`, with the names from `ps -ax -o pid=,comm=`. */
export function parsePsProcesses(output: string, names: string, ports: DescribedPorts): SeenProcess[] {
  const programs = new Map(
    names.split('\n').map((line) => {
      const [, pid = '', path = ''] = /^\s*(\d+)\s+(.+?)\s*$/.exec(line) ?? []
      return [pid, programName(path)]
    }),
  )
  return output.split('\n').flatMap((line) => {
    const [, pid, parent, user, state = '', nice, kilobytes, time = '', started = '', command = ''] =
      LINE.exec(line) ?? []
    const startMs = Date.parse(started)
    if (pid === undefined || Number.isNaN(startMs)) return []
    const process: MachineProcess = {
      pid: Number(pid),
      start: String(startMs / 1000),
      parent_pid: Number(parent),
      name: (programs.get(pid) || (command.split(' ', 1)[0] ?? '')).slice(0, 255),
      command: command.slice(0, MAX_COMMAND),
      username: (user ?? '').slice(0, 255),
      started_at: new Date(startMs).toISOString(),
      state: STATES[state[0] ?? ''] ?? 'running',
      nice: Math.min(19, Math.max(-20, Number(nice))),
      ports: ports.of(Number(pid)),
    }
    return [{ process, cpuSeconds: readTime(time), memoryBytes: Number(kilobytes) * 1024 }]
  })
}

/** From `lsof -nP -iTCP -sTCP:LISTEN -iUDP -FpPn`: one line per field, whose first letter is the type. */
export function parseLsof(output: string): DescribedPorts {
  const ports = new DescribedPorts()
  let pid = 0
  let protocol: 'tcp' | 'udp' = 'tcp'
  for (const line of output.split('\n')) {
    const value = line.slice(1)
    if (line.startsWith('p')) pid = Number(value)
    if (line.startsWith('P')) protocol = value === 'UDP' ? 'udp' : 'tcp'
    // An arrow marks a connection, not a listener.
    if (line.startsWith('n') && !value.includes('->')) ports.add(pid, protocol, value)
  }
  return ports
}

const STATES: Partial<Record<string, MachineProcess['state']>> = { U: 'waiting', T: 'stopped', Z: 'ended' }

/** `12:34.56`, `1:02:03` or `2-03:04:05` in seconds. */
function readTime(text: string): number {
  const [, days = '0', clock = ''] = /^(?:(\d+)-)?(.*)$/.exec(text) ?? []
  return Number(days) * 86_400 + clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
