import { totalmem } from 'node:os'
import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { readCpuTimes } from '../cpu-times.ts'
import { measureMountSpace } from '../mount-space.ts'
import { noEventLog, noJournal } from '../no-log.ts'
import { pingPosix } from '../posix-ping.ts'
import type { Probes } from '../probes.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { parseJob } from './launchctl.ts'
import { parseSwap, parseVmStat } from './memory.ts'
import { parseMountPoints } from './mount-points.ts'
import { sumNamedProcesses } from './named-processes.ts'

const LIMIT_MS = 10_000

export const macosProbes: Probes = {
  readCpuTimes: async () => readCpuTimes(),
  async readMemory(signal) {
    const [pages, swap] = await Promise.all([
      runTool('vm_stat', [], { signal, timeoutMs: LIMIT_MS }),
      runTool('sysctl', ['-n', 'vm.swapusage'], { signal, timeoutMs: LIMIT_MS }),
    ])
    return {
      totalBytes: totalmem(),
      availableBytes: parseVmStat(pages.stdout),
      swap: parseSwap(swap.stdout),
    }
  },
  async measureMount(disk) {
    const { stdout } = await runTool('mount', [], {
      signal: AbortSignal.timeout(LIMIT_MS),
      timeoutMs: LIMIT_MS,
    })
    const mount = disk.length > 1 ? disk.replace(/\/$/, '') : disk
    return parseMountPoints(stdout).has(mount) ? measureMountSpace(mount) : undefined
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
    throw new Unmeasurable(`Failed to read the service ${name}: ${firstLine(stderr, stdout)}`)
  },
  async startService(name, signal) {
    const { code, stderr } = await runTool('launchctl', ['kickstart', target(name)], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    return code === 0 ? undefined : firstLine(stderr)
  },
  async findProcesses(name, signal) {
    const { code, stdout, stderr } = await runTool('ps', ['-axo', 'stat=,rss=,comm='], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code !== 0) throw new Unmeasurable(`Failed to list the processes: ${firstLine(stderr)}`)
    return sumNamedProcesses(stdout, name)
  },
  findEvents: noEventLog('macOS'),
  findJournal: noJournal('macOS'),
}

/** Labels are searched among the system services, or at a path (`gui/501/label`). */
function target(name: string): string {
  return name.includes('/') ? name : `system/${name}`
}
