import { execFile } from 'node:child_process'
import { hostname, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bootTimeFromUptime, machineArch, readAddresses } from './node-os.ts'
import { makeHardware } from './machine-identity.ts'
import { measureDisks } from './measure-disk.ts'
import type { Os } from './os.ts'
import { readWindowsCounters } from './windows/counters.ts'

const run = promisify(execFile)

const DRIVES = 'CDEFGHIJKLMNOPQRSTUVWXYZAB'.split('')

/** That of the last facts, which are read every minute. */
let timeZone: string | undefined

export const windows: Os = {
  platform: 'windows',
  defaultDataFolder: () => join(process.env.ProgramData ?? 'C:\\ProgramData', 'Muster Agent'),
  protectFolder: async (folder) => (await import('./windows/protect-folder.ts')).protectFolder(folder),
  findSystemProxy: async () => (await import('./windows/system-proxy.ts')).findSystemProxy(),
  findMachineId: async () => (await loadFacts()).findWindowsMachineId(),
  async readHardware() {
    const { findFirmwareUuid, readFirmwareTable } = await import('./windows/firmware.ts')
    const dmiUuid = findFirmwareUuid(await readFirmwareTable())
    // The addresses of Windows are those of virtual adapters, too.
    return makeHardware({ dmiUuid, macs: [], diskSerial: undefined })
  },
  async readQuickFacts() {
    const { needsReboot, readWindowsTimeZone, readWindowsVersion } = await loadFacts()
    return {
      hostname: hostname(),
      platform: 'windows',
      arch: machineArch(),
      ...(await readWindowsVersion()),
      boot_time: bootTimeFromUptime(uptime()),
      total_ram: totalmem(),
      disks: await readDrives(),
      addresses: readAddresses(),
      time_zone: (timeZone = await readWindowsTimeZone()),
      needs_reboot: await needsReboot(),
    }
  },
  readCounters: async () => readWindowsCounters(await readDrives()),
  readSlowFacts: async () => (await import('./windows/hardware.ts')).readWindowsSlowFacts(),
  // Intl costs 7 MB of memory, in every process that loads it.
  readTimeZone: () => (timeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone),
  findRunProcesses: async () => [],
  openRunGroup: async (marker) => (await import('./windows/job-objects.ts')).openJob(marker),
  async killTree(root, marker) {
    const { terminateJob } = await import('./windows/job-objects.ts')
    if (await terminateJob(marker)) return
    // taskkill walks the tree itself.
    if (root > 0) await tryRun('taskkill', ['/T', '/F', '/PID', String(root)])
  },
  findUser: async () => undefined,
  findSignedIn: async () => (await loadSessionRun()).findWindowsSignedIn(),
  startInSession: async (plan, hold) => (await loadSessionRun()).startInUserSession(plan, hold),
  makeFolderFor: async (session) => (await loadSessionRun()).makeFolderFor(session),
  whyNoOtherUser: (name) =>
    `This agent cannot run commands as ${name}. On Windows it can run them as the signed-in user.`,
  shutdownArguments: (action) => [action === 'reboot' ? '/r' : '/s', '/f', '/t', '0'],
  loadSessionTools: async () => (await import('./windows/session-tools.ts')).windowsSessionTools,
  loadService: async () => (await import('./windows/service.ts')).windowsService,
  loadProbes: async () => (await import('./windows/probes.ts')).windowsProbes,
  loadProcessTools: async () => (await import('./windows/process-tools.ts')).windowsProcessTools,
  loadLogTools: async () => (await import('./windows/log-tools.ts')).windowsLogTools,
  loadRegistryTools: async () => (await import('./windows/registry/registry.ts')).windowsRegistry,
  loadServiceTools: async () => (await import('./windows/service-tools.ts')).windowsServiceTools,
  loadScheduler: async () => (await import('./windows/scheduler/task-scheduler.ts')).windowsScheduler,
  loadSoftwareTools: async () => (await import('./windows/software.ts')).windowsSoftware,
  loadPatchTools: async () => (await import('./windows/patches.ts')).windowsPatches,
  loadPackageTools: async () => (await import('./windows/packages.ts')).windowsPackages,
  // The registry cannot be watched cheaply.
  softwarePaths: () => [],
}

const loadSessionRun = () => import('./windows/session-run.ts')
const loadFacts = () => import('./windows/system-facts.ts')

function readDrives() {
  const drives = DRIVES.map((letter) => ({ device: `${letter}:`, mount: `${letter}:\\`, fstype: '' }))
  return measureDisks(drives)
}

/** The output of a program; undefined if it failed. */
async function tryRun(program: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(program, args, { windowsHide: true, timeout: 20_000 })).stdout
  } catch {
    return undefined
  }
}
