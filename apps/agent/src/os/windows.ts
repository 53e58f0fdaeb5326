import { execFile } from 'node:child_process'
import { hostname, release, totalmem, uptime, version } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bootTimeFromUptime, machineArch, readAddresses } from './node-os.ts'
import { measureDisks } from './measure-disk.ts'
import type { Os } from './os.ts'
import {
  readCpuNames,
  readDiskLayout,
  readGraphics,
  readMachineFallback,
  readSignedInUser,
} from './system-information.ts'
import { readWindowsCounters } from './windows/counters.ts'

const run = promisify(execFile)

const CRYPTOGRAPHY_KEY = 'HKLM\\SOFTWARE\\Microsoft\\Cryptography'
const UPDATE_KEYS = [
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending',
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired',
]
const SESSION_KEY = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager'
const DRIVES = 'CDEFGHIJKLMNOPQRSTUVWXYZAB'.split('')

export const windows: Os = {
  platform: 'windows',
  defaultDataFolder: () => join(process.env.ProgramData ?? 'C:\\ProgramData', 'Muster Agent'),
  protectFolder: async (folder) => (await import('./windows/protect-folder.ts')).protectFolder(folder),
  findMachineId() {
    // Read once at load, before anything else runs.
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const { stdout } = spawnSync('reg', ['query', CRYPTOGRAPHY_KEY, '/v', 'MachineGuid'], {
      encoding: 'utf8',
    })
    return /REG_SZ\s+(\S+)/.exec(stdout ?? '')?.[1]
  },
  async readQuickFacts() {
    return {
      hostname: hostname(),
      platform: 'windows',
      arch: machineArch(),
      os_name: version(),
      os_version: release(),
      boot_time: bootTimeFromUptime(uptime()),
      total_ram: totalmem(),
      disks: await readDrives(),
      addresses: readAddresses(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      needs_reboot: await needsReboot(),
    }
  },
  readCounters: async () => readWindowsCounters(await readDrives()),
  async readSlowFacts() {
    const user = await readSignedInUser()
    return {
      cpus: await readCpuNames(),
      graphics: await readGraphics(),
      physical_disks: await readDiskLayout(),
      ...(await readMachineFallback()),
      logged_in_user: user,
      ...(user === null ? {} : { last_logged_in_user: user }),
    }
  },
  readTimeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  findRunProcesses: async () => [],
  openRunGroup: async (marker) => (await import('./windows/job-objects.ts')).openJob(marker),
  async killTree(root, marker) {
    const { terminateJob } = await import('./windows/job-objects.ts')
    if (await terminateJob(marker)) return
    // taskkill walks the tree itself.
    if (root > 0) await tryRun('taskkill', ['/T', '/F', '/PID', String(root)])
  },
  findUser: async () => undefined,
  whyNoOtherUser: (name) => `This agent cannot run commands as ${name}. This is supported on Linux only.`,
  shutdownArguments: (action) => [action === 'reboot' ? '/r' : '/s', '/t', '5'],
  loadService: async () => (await import('./windows/service.ts')).windowsService,
  loadProbes: async () => (await import('./windows/probes.ts')).windowsProbes,
  loadProcessTools: async () => (await import('./windows/process-tools.ts')).windowsProcessTools,
  loadLogTools: async () => (await import('./windows/log-tools.ts')).windowsLogTools,
  loadRegistryTools: async () => (await import('./windows/registry/registry.ts')).windowsRegistry,
  loadServiceTools: async () => (await import('./windows/service-tools.ts')).windowsServiceTools,
  loadSoftwareTools: async () => (await import('./windows/software.ts')).windowsSoftware,
  loadPatchTools: async () => (await import('./windows/patches.ts')).windowsPatches,
  // The registry cannot be watched cheaply.
  softwarePaths: () => [],
}

function readDrives() {
  const drives = DRIVES.map((letter) => ({ device: `${letter}:`, mount: `${letter}:\\`, fstype: '' }))
  return measureDisks(drives)
}

async function needsReboot(): Promise<boolean> {
  const found = await Promise.all(UPDATE_KEYS.map((key) => tryRun('reg', ['query', key])))
  if (found.some((output) => output !== undefined)) return true
  const renames = await tryRun('reg', ['query', SESSION_KEY, '/v', 'PendingFileRenameOperations'])
  return renames !== undefined && /REG_MULTI_SZ\s+\S/.test(renames)
}

/** The output of a program; undefined if it failed, which is how `reg` reports a missing key. */
async function tryRun(program: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(program, args, { windowsHide: true, timeout: 20_000 })).stdout
  } catch {
    return undefined
  }
}
