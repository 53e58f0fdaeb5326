import { totalmem } from 'node:os'
import { MeasureError } from '../../errors.ts'
import { readCpuTimes } from '../node-os.ts'
import { measureMountAt } from '../disk-calls.ts'
import { noEventLog, noJournal } from '../unsupported.ts'
import { pingPosix } from '../posix-ping.ts'
import { DescribedPorts } from '../listed-processes.ts'
import type { SeenProcess } from '../os.ts'
import type { Probes, ServiceState } from '../probes.ts'
import { scriptName } from '../process-names.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { parseSwap, parseVmStat } from './counters.ts'
import { listRawProcesses } from './process-tools.ts'

const LIMIT_MS = 10_000

export const macosProbes: Probes = {
  readCpuTimes: async () => readCpuTimes(),
  async readMemory(signal) {
    const [pages, swap] = await Promise.all([
      runTool('vm_stat', [], { signal, timeoutMs: LIMIT_MS }),
      runTool('sysctl', ['-n', 'vm.swapusage'], { signal, timeoutMs: LIMIT_MS }),
    ])
    const availableBytes = parseVmStat(pages.stdout)
    const swapUse = parseSwap(swap.stdout)
    if (availableBytes === 0) throw new MeasureError('vm_stat does not report the free memory.')
    if (swapUse === undefined) throw new MeasureError('sysctl does not report the swap.')
    return { totalBytes: totalmem(), availableBytes, swap: swapUse }
  },
  async measureMount(disk) {
    const { stdout } = await runTool('mount', [], {
      signal: AbortSignal.timeout(LIMIT_MS),
      timeoutMs: LIMIT_MS,
    })
    return measureMountAt(disk, parseMountPoints(stdout))
  },
  async listDisks() {
    const { stdout } = await runTool('mount', [], {
      signal: AbortSignal.timeout(LIMIT_MS),
      timeoutMs: LIMIT_MS,
    })
    return parseDisks(stdout)
  },
  // IPv6 has a program of its own.
  ping: (host, signal) =>
    host.includes(':')
      ? pingPosix(host, { signal, waitFor: undefined, program: 'ping6' })
      : pingPosix(host, { signal, waitFor: '2000' }),
  async findService(name, signal) {
    const { code, stdout, stderr } = await runTool('launchctl', ['print', target(name)], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code === 0) return parseJob(stdout)
    if (/could not find service/i.test(stderr)) return { state: 'missing', detail: '' }
    throw new MeasureError(`Failed to read the service ${name}: ${firstLine(stderr, stdout)}`)
  },
  async startService(name, signal) {
    const { code, stderr } = await runTool('launchctl', ['kickstart', target(name)], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    return code === 0 ? undefined : firstLine(stderr)
  },
  findProcesses: async (name, signal) =>
    sumNamedProcesses(await listRawProcesses(signal, new DescribedPorts()), name),
  findEvents: noEventLog('macOS'),
  findJournal: noJournal('macOS'),
}

/** Labels are searched among the system services, or at a path (`gui/501/label`). */
function target(name: string): string {
  return name.includes('/') ? name : `system/${name}`
}

/** The output of `launchctl print`. */
export function parseJob(output: string): ServiceState {
  // The first level is indented once. Sockets and the like are deeper.
  const value = (name: string) => new RegExp(`^\\t${name} = (.*)$`, 'm').exec(output)?.[1]?.trim()
  const state = value('state') ?? ''
  const exitCode = value('last exit code') ?? ''
  const detail = exitCode === '' ? state : `${state}, last exit code ${exitCode}`
  if (state === 'running') return { state: 'running', detail }
  if (state === 'spawn scheduled' || state === 'waiting') return { state: 'start_pending', detail }
  const hasFailed = /^[1-9]/.test(exitCode)
  return { state: hasFailed ? 'failed' : 'stopped', detail }
}

/** Disks in the output of `mount`. Images and discs are read-only; volumes of the system share the disk of the root. */
export function parseDisks(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    const [, mount = '', options = ''] = /^\/dev\/\S+ on (.+) \(([^)]*)\)$/.exec(line) ?? []
    if (mount === '/') return [mount]
    const isOther = mount === '' || mount.startsWith('/System/Volumes/') || /nobrowse|read-only/.test(options)
    return isOther ? [] : [mount]
  })
}

/** From `mount`: `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)`. */
export function parseMountPoints(output: string): Set<string> {
  const places = output.split('\n').flatMap((line) => {
    const [, mount] = /^.+? on (\/.*) \([^()]*\)$/.exec(line) ?? []
    return mount === undefined ? [] : [mount]
  })
  return new Set(places)
}

/** Case-insensitive, by the names of the process list and by the script behind an interpreter. */
export function sumNamedProcesses(
  seen: readonly SeenProcess[],
  name: string,
): { count: number; memoryBytes: number } {
  const wanted = name.toLowerCase()
  const found = seen.filter(({ process }) => {
    if (process.state === 'ended') return false
    const names = [process.name, scriptName(process.name, process.command.split(' '))]
    return names.some((known) => known?.toLowerCase() === wanted)
  })
  return { count: found.length, memoryBytes: found.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) }
}
