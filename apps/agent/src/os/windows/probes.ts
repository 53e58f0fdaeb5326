import { measureMountSpace } from '../disk-calls.ts'
import { noJournal } from '../unsupported.ts'
import type { PingResult, Probes } from '../probes.ts'
import { runTool } from '../run-tool.ts'
import { findWindowsEvents } from './event-log.ts'
import { readMemoryStatus, readPageFiles, readSystemTimes } from './counters.ts'
import { listWindowsProcesses, type WindowsProcess } from './process-list.ts'
import { findServiceState, startService } from './service-tools.ts'

const PACKETS = 3
const SYSTEM_DRIVE = process.env['SystemDrive'] ?? 'C:'
const DRIVES = Array.from('CDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => `${letter}:`)

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

/** Case-insensitive; `.exe` is optional. */
export function sumNamedProcesses(
  processes: readonly Pick<WindowsProcess, 'name' | 'memoryBytes'>[],
  name: string,
): { count: number; memoryBytes: number } {
  const wanted = bare(name)
  const found = processes.filter((process) => bare(process.name) === wanted)
  return { count: found.length, memoryBytes: found.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) }
}

const bare = (name: string) => name.toLowerCase().replace(/\.exe$/, '')

export const windowsProbes: Probes = {
  readCpuTimes: readSystemTimes,
  readMemory: async () => ({ ...(await readMemoryStatus()), swap: await readPageFiles() }),
  async measureMount(disk) {
    const [, letter] = /^([A-Za-z]):?[\\/]?$/.exec(disk) ?? []
    return measureMountSpace(letter === undefined ? disk : `${letter}:\\`)
  },
  async listDisks() {
    const drives = await Promise.all(
      DRIVES.map(async (drive) => ({
        drive,
        space: await measureMountSpace(`${drive}\\`).catch(() => undefined),
      })),
    )
    // Discs have no free space, and no other mark that Node shows.
    return drives
      .filter(({ drive, space }) => space !== undefined && (drive === SYSTEM_DRIVE || space.freeBytes > 0))
      .map(({ drive }) => drive)
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
  findProcesses: async (name) => sumNamedProcesses(await listWindowsProcesses(), name),
  findEvents: findWindowsEvents,
  findJournal: noJournal('Windows'),
}
