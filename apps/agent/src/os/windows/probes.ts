import { freemem, totalmem } from 'node:os'
import { MeasureError } from '../../errors.ts'
import { readCpuTimes } from '../node-os.ts'
import { measureMountSpace } from '../disk-calls.ts'
import { noJournal } from '../unsupported.ts'
import type { PingResult, Probes } from '../probes.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { findWindowsEvents } from './event-log.ts'
import { parsePageFiles } from './counters.ts'
import { findServiceState, startService } from './service-tools.ts'

const PACKETS = 3

/**
 * The output of `ping -n 3` in any language: a reply is a line with one time in milliseconds, the summary has three.
 * A single line means that the name cannot be resolved.
 */
export function parseWindowsPing(output: string): PingResult {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '')
  const times = lines.flatMap((line) => {
    const [first, ...more] = [...line.matchAll(/[=<]\s?(\d+)\s?ms/gi)]
    return first === undefined || more.length > 0 ? [] : [Number(first[1])]
  })
  const sent = lines.length > 1 ? PACKETS : 0
  const received = Math.min(times.length, sent)
  const ms = received === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length
  return { sent, received, ms, output }
}

/**
 * From `tasklist /fo csv /nh`: `"notepad.exe","4711","Console","1","12,345 K"`. Number formats vary by country.
 * Case-insensitive; `.exe` is optional.
 */
export function sumNamedTasks(output: string, name: string): { count: number; memoryBytes: number } {
  const wanted = bare(name)
  let count = 0
  let memoryBytes = 0
  for (const line of output.split(/\r?\n/)) {
    const fields = [...line.matchAll(/"([^"]*)"/g)].map(([, field]) => field ?? '')
    if (fields.length < 5 || bare(fields[0] ?? '') !== wanted) continue
    count += 1
    memoryBytes += Number((fields.at(-1) ?? '').replaceAll(/\D/g, '')) * 1024
  }
  return { count, memoryBytes }
}

const bare = (name: string) => name.toLowerCase().replace(/\.exe$/, '')

const LIMIT_MS = 10_000
/** PowerShell takes seconds to start on a small machine. */
const PAGE_FILE_LIMIT_MS = 20_000
const PAGE_FILES =
  'Get-CimInstance Win32_PageFileUsage | ForEach-Object { "$($_.AllocatedBaseSize) $($_.CurrentUsage)" }'

export const windowsProbes: Probes = {
  readCpuTimes: async () => readCpuTimes(),
  async readMemory(signal) {
    const { stdout } = await runTool(
      'powershell',
      ['-NoProfile', '-NonInteractive', '-Command', PAGE_FILES],
      { signal, timeoutMs: PAGE_FILE_LIMIT_MS },
    )
    return { totalBytes: totalmem(), availableBytes: freemem(), swap: parsePageFiles(stdout) }
  },
  async measureMount(disk) {
    const [, letter] = /^([A-Za-z]):?[\\/]?$/.exec(disk) ?? []
    return measureMountSpace(letter === undefined ? disk : `${letter}:\\`)
  },
  async ping(host, signal) {
    const { stdout, stderr } = await runTool('ping', ['-n', '3', '-w', '1000', host], {
      signal,
      timeoutMs: 8000,
    })
    return parseWindowsPing(`${stdout}\n${stderr}`.trim())
  },
  findService: findServiceState,
  startService,
  async findProcesses(name, signal) {
    const { code, stdout, stderr } = await runTool('tasklist', ['/fo', 'csv', '/nh'], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code !== 0) throw new MeasureError(`Failed to list the processes: ${firstLine(stderr, stdout)}`)
    return sumNamedTasks(stdout, name)
  },
  findEvents: findWindowsEvents,
  findJournal: noJournal('Windows'),
}
