import { freemem, totalmem } from 'node:os'
import { MAX_COMMAND } from '@muster/contract/agent/processes'
import { z } from 'zod'
import { AgentError, MeasureError } from '../../errors.ts'
import { ListedProcessReader, DescribedPorts } from '../listed-processes.ts'
import { readCpuTimes } from '../node-os.ts'
import { endProcesses, type ListedProcess, requireProcess, setProcessPriority } from '../end-processes.ts'
import type { ProcessTools, SeenProcess } from '../os.ts'
import { firstLine, runTool } from '../run-tool.ts'

/** WMI classes have the same names in every language. User names need an elevated agent. */
const PROCESS_SCRIPT = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  '$users = @{}',
  'Get-Process -IncludeUserName -ErrorAction SilentlyContinue | ForEach-Object { $users[[string]$_.Id] = $_.UserName }',
  '$all = Get-CimInstance Win32_Process | ForEach-Object { [pscustomobject]@{ pid = $_.ProcessId; parent = $_.ParentProcessId; name = $_.Name; command = $_.CommandLine; start = $(if ($_.CreationDate) { $_.CreationDate.ToFileTimeUtc().ToString() } else { "0" }); ticks = [double]($_.KernelModeTime + $_.UserModeTime); memory = [double]$_.WorkingSetSize; priority = $_.Priority; user = $users[[string]$_.ProcessId] } }',
  'ConvertTo-Json -Compress -InputObject @($all)',
].join('; ')

const Row = z.object({
  pid: z.int().min(0),
  parent: z.int().min(0).catch(0),
  name: z.string().catch(''),
  command: z.string().nullable().catch(null),
  start: z.string().regex(/^\d{1,20}$/),
  ticks: z.number().catch(0),
  memory: z.number().catch(0),
  priority: z.number().nullable().catch(null),
  user: z.string().nullish().catch(null),
})

/** Ticks of 100 ns since 1601. */
const TICKS_PER_MS = 10_000n
const UNIX_MS = 11_644_473_600_000n
/** Base priorities by Node's priority numbers. */
const NICE: Partial<Record<number, number>> = { 4: 19, 6: 10, 8: 0, 10: -7, 13: -14, 24: -20 }

/** Parses the output of PROCESS_SCRIPT; undefined if it is invalid. */
export function parseWindowsProcesses(output: string, ports: DescribedPorts): SeenProcess[] | undefined {
  const rows = z.array(z.unknown()).safeParse(tryJson(output))
  if (!rows.success) return undefined
  return rows.data.flatMap((found) => {
    const row = Row.safeParse(found).data
    // Process 0 is the idle time.
    if (row === undefined || row.pid === 0) return []
    const startMs = Number(BigInt(row.start) / TICKS_PER_MS - UNIX_MS)
    const process = {
      pid: row.pid,
      start: row.start,
      parent_pid: row.parent,
      name: row.name.slice(0, 255),
      command: (row.command ?? '').slice(0, MAX_COMMAND),
      username: (row.user ?? '').slice(0, 255),
      started_at: startMs > 0 ? new Date(startMs).toISOString() : null,
      state: 'running' as const,
      nice: NICE[row.priority ?? -1] ?? null,
      ports: ports.of(row.pid),
    }
    return [{ process, cpuSeconds: Math.max(0, row.ticks) / 1e7, memoryBytes: Math.max(0, row.memory) }]
  })
}

/** `netstat -ano`: words are translated, but listeners have no remote address. */
export function parseNetstatPorts(output: string): DescribedPorts {
  const ports = new DescribedPorts()
  for (const line of output.split(/\r?\n/)) {
    const tcp = /^\s*TCP\s+(\S+)\s+\S+:0\s+\S+\s+(\d+)\s*$/.exec(line)
    const udp = /^\s*UDP\s+(\S+)\s+\*:\*\s+(\d+)\s*$/.exec(line)
    const [, place, pid] = tcp ?? udp ?? []
    if (place !== undefined) ports.add(Number(pid), tcp === null ? 'udp' : 'tcp', place)
  }
  return ports
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** PowerShell takes seconds to start on a small machine. */
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
    new ListedProcessReader(async (signal) => {
      const netstat = await runTool('netstat', ['-ano'], { signal, timeoutMs: LIMIT_MS })
      return {
        processes: await listRawProcesses(signal, parseNetstatPorts(netstat.stdout)),
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
        // Success is checked afterwards: the output of taskkill is translated.
        await runTool('taskkill', [...(force ? ['/F'] : []), '/PID', String(pid)], {
          signal,
          timeoutMs: LIMIT_MS,
        })
      },
    }),
  async setPriority(target, nice) {
    const found = requireProcess(await listProcesses(), target)
    const why = vital(found)
    if (why !== undefined) throw new AgentError(why)
    setProcessPriority(found, nice)
    return found.name
  },
}

function vital({ pid, name }: ListedProcess): string | undefined {
  return VITAL.has(name.toLowerCase()) ? `Windows cannot run without process ${pid} (${name}).` : undefined
}

async function listProcesses(): Promise<ListedProcess[]> {
  const seen = await listRawProcesses(AbortSignal.timeout(LIMIT_MS), new DescribedPorts())
  return seen.map(({ process: { pid, parent_pid: parent, start, name } }) => ({
    pid,
    parent,
    start,
    name,
    isStopped: false,
  }))
}

async function listRawProcesses(signal: AbortSignal, ports: DescribedPorts) {
  const args = ['-NoProfile', '-NonInteractive', '-Command', PROCESS_SCRIPT]
  const { stdout, stderr } = await runTool('powershell', args, { signal, timeoutMs: LIMIT_MS })
  const processes = parseWindowsProcesses(stdout, ports)
  if (processes === undefined)
    throw new MeasureError(`Failed to list the processes: ${firstLine(stderr, stdout)}`)
  return processes
}
