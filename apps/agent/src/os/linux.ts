import { existsSync } from 'node:fs'
import { homedir, hostname, totalmem, userInfo } from 'node:os'
import { join } from 'node:path'
import { machineArch, readAddresses } from './node-os.ts'
import { killPosix } from './kill-posix.ts'
import {
  readBootTime,
  readCpus,
  readMachineMake,
  readOsRelease,
  readPhysicalDisks,
} from './linux/hardware.ts'
import { readLinuxCounters } from './linux/counters.ts'
import { findLinuxMachineId, readLinuxHardware } from './linux/machine-identity.ts'
import { readLinuxDisks } from './linux/mounts.ts'
import { rankInterfaces } from './linux/network.ts'
import { findProcRunProcesses } from './linux/proc-processes.ts'
import { findLastUser, findLoggedInUser } from './linux/sessions.ts'
import { findLinuxUser } from './linux/users.ts'
import type { Os } from './os.ts'
import { readGraphics, readMachineFallback } from './system-information.ts'
import { readTimeZone, readUtcOffset } from './time-zone.ts'

/** Package managers create one of these when an update needs a reboot. */
const REBOOT_MARKS = ['/run/reboot-required', '/var/run/reboot-required', '/run/reboot-needed']
const RPM_FOLDERS = ['/var/lib/rpm', '/usr/lib/sysimage/rpm']
const RPM_FILES = ['rpmdb.sqlite', 'Packages', 'Packages.db']

export const linux: Os = {
  platform: 'linux',
  defaultDataFolder() {
    if (process.getuid?.() === 0) return '/var/lib/muster-agent'
    return join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'muster-agent')
  },
  findMachineId: async () => findLinuxMachineId(),
  readHardware: async () => readLinuxHardware(),
  async readQuickFacts() {
    return {
      hostname: hostname(),
      platform: 'linux',
      arch: machineArch(),
      ...readOsRelease(),
      boot_time: readBootTime(),
      logged_in_user: findLoggedInUser(),
      last_logged_in_user: findLastUser(),
      total_ram: totalmem(),
      disks: await readLinuxDisks(),
      addresses: readAddresses({ rankOf: rankInterfaces() }),
      time_zone: readTimeZone(),
      needs_reboot: REBOOT_MARKS.some((file) => existsSync(file)),
    }
  },
  readCounters: readLinuxCounters,
  async readSlowFacts() {
    const machine = readMachineMake()
    return {
      cpus: readCpus(),
      physical_disks: readPhysicalDisks(),
      graphics: await readGraphics(),
      security: await (await import('./linux/security.ts')).readLinuxSecurity(),
      ...(machine.make === '' && machine.model === '' ? await readMachineFallback() : machine),
    }
  },
  readTimeZone: () => readTimeZone(),
  readUtcOffset: () => readUtcOffset(),
  findRunProcesses: async (root, marker) => findProcRunProcesses(root, marker),
  killTree: (root, marker) => killPosix(root, async () => findProcRunProcesses(root, marker)),
  findUser: findLinuxUser,
  findSignedIn: async () => (await import('./linux/signed-in.ts')).findLinuxSignedIn(),
  whyNoOtherUser(name) {
    if (process.getuid?.() === 0) return undefined
    return `The agent on this machine runs as ${userInfo().username} and not as root, so it cannot run commands as ${name}.`
  },
  shutdownArguments: (action) => [action === 'reboot' ? '-r' : '-P', 'now'],
  loadSessionTools: async () => (await import('./linux/session-tools.ts')).makeLinuxSessionTools(),
  loadService: async () => (await import('./linux/systemd-service.ts')).systemdService,
  loadProbes: async () => (await import('./linux/probes.ts')).linuxProbes,
  loadProcessTools: async () => (await import('./linux/process-tools.ts')).linuxProcessTools,
  loadLogTools: async () => (await import('./linux/log-tools.ts')).linuxLogTools,
  loadRegistryTools: async () => (await import('./unsupported.ts')).noRegistry,
  loadServiceTools: async () => (await import('./linux/service-tools.ts')).linuxServiceTools,
  loadScheduler: async () => (await import('./linux/timers.ts')).linuxScheduler,
  loadSoftwareTools: async () => (await import('./linux/software.ts')).linuxSoftware,
  loadPatchTools: async () => (await import('./linux/patches.ts')).linuxPatches,
  loadPackageTools: async () => (await import('./linux/packages.ts')).linuxPackages,
  softwarePaths: () => [
    // New lists may offer newer versions.
    '/var/lib/apt/lists',
    join(process.env.DPKG_ADMINDIR ?? '/var/lib/dpkg', 'status'),
    ...RPM_FOLDERS.flatMap((folder) => RPM_FILES.map((file) => join(folder, file))),
  ],
}
