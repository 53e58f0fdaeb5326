import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir, hostname, totalmem, uptime, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bootTimeFromUptime, machineArch, readAddresses } from './node-os.ts'
import { RunError } from '../errors.ts'
import { readFactSources } from './fact-sources.ts'
import { killPosix } from './kill-posix.ts'
import { isMachineId } from './machine-identity.ts'
import { measureDisks } from './measure-disk.ts'
import type { Os } from './os.ts'
import { readMacCounters } from './macos/counters.ts'
import { readCpuNames, readDiskLayout, readGraphics, readMachineFallback } from './system-information.ts'
import { readTimeZone, readUtcOffset } from './time-zone.ts'

const run = promisify(execFile)
const VERSION_FILE = '/System/Library/CoreServices/SystemVersion.plist'

export const macos: Os = {
  platform: 'darwin',
  defaultDataFolder() {
    const base = process.getuid?.() === 0 ? '/Library' : join(homedir(), 'Library')
    return join(base, 'Application Support', 'muster-agent')
  },
  async findMachineId() {
    // Read once at load, before anything else runs.
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const { stdout } = spawnSync('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], { encoding: 'utf8' })
    const id = /"IOPlatformUUID" = "([^"]+)"/.exec(stdout ?? '')?.[1]
    return id !== undefined && isMachineId(id) ? id : undefined
  },
  async readQuickFacts() {
    const user = await findConsoleUser()
    return {
      hostname: hostname(),
      platform: 'darwin',
      arch: machineArch(),
      ...parseSystemVersion(readFileSync(VERSION_FILE, 'utf8')),
      boot_time: bootTimeFromUptime(uptime()),
      logged_in_user: user,
      ...(user === null ? {} : { last_logged_in_user: user }),
      total_ram: totalmem(),
      disks: await readDisks(),
      addresses: readAddresses(),
      time_zone: readTimeZone(),
      needs_reboot: false,
    }
  },
  readCounters: async () => readMacCounters(await readDisks()),
  readSlowFacts: () =>
    readFactSources([
      { name: 'the processor', read: async () => ({ cpus: await readCpuNames() }) },
      { name: 'the graphics cards', read: async () => ({ graphics: await readGraphics() }) },
      { name: 'the physical disks', read: async () => ({ physical_disks: await readDiskLayout() }) },
      {
        name: 'the security settings',
        read: async () => ({ security: await (await import('./macos/security.ts')).readMacSecurity() }),
      },
      { name: 'the model', read: readMachineFallback },
    ]),
  readTimeZone: () => readTimeZone(),
  readUtcOffset: () => readUtcOffset(),
  findRunProcesses,
  killTree: (root, marker) => killPosix(root, () => findRunProcesses(root, marker)),
  findUser: async () => undefined,
  async findSignedIn() {
    const user = await findConsoleUser()
    if (user === null) throw new RunError('No user is signed in at this machine.')
    if (user !== userInfo().username) throw new RunError(macos.whyNoOtherUser(user))
    return { env: {} }
  },
  whyNoOtherUser: (name) =>
    `The agent on this machine runs as ${userInfo().username} and cannot run commands as ${name}. This is supported on Linux only.`,
  shutdownArguments: (action) => [action === 'reboot' ? '-r' : '-h', 'now'],
  loadSessionTools: async () =>
    (await import('./macos/session-tools.ts')).makeMacSessionTools(findConsoleUser),
  loadService: async () => (await import('./macos/launchd-service.ts')).launchdService,
  loadProbes: async () => (await import('./macos/probes.ts')).macosProbes,
  loadProcessTools: async () => (await import('./macos/process-tools.ts')).macosProcessTools,
  loadLogTools: async () => (await import('./unsupported.ts')).noLogTools('macOS'),
  loadRegistryTools: async () => (await import('./unsupported.ts')).noRegistry,
  loadServiceTools: async () => (await import('./macos/service-tools.ts')).macosServiceTools,
  loadScheduler: async () => (await import('./unsupported.ts')).noScheduler,
  loadSoftwareTools: async () => (await import('./macos/software.ts')).macosSoftware,
  loadPatchTools: async () => (await import('./macos/patches.ts')).macosPatches,
  loadPackageTools: async () => (await import('./macos/packages.ts')).macosPackages,
  softwarePaths: () => [
    '/Applications',
    ...['/opt/homebrew', '/usr/local'].flatMap((prefix) => [
      join(prefix, 'Cellar'),
      join(prefix, 'Caskroom'),
    ]),
  ],
}

async function findRunProcesses(root: number, marker: string): Promise<number[]> {
  // -E appends the environment of the user's own processes, and of all when run as root.
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,ppid=,pgid=,stat=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return parsePsRunProcesses(stdout, root, marker)
}

async function findConsoleUser(): Promise<string | null> {
  const { stdout } = await run('stat', ['-f', '%Su', '/dev/console'])
  const user = stdout.trim()
  return user === '' || user === 'root' ? null : user
}

export function parseSystemVersion(plist: string): { os_name: string; os_version: string } {
  const value = (name: string) =>
    new RegExp(`<key>${name}</key>\\s*<string>([^<]*)</string>`).exec(plist)?.[1] ?? ''
  return { os_name: value('ProductName') || 'macOS', os_version: value('ProductVersion') }
}

async function readDisks() {
  const { stdout } = await run('mount')
  return measureDisks(parseMounts(stdout))
}

/** `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)` */
export function parseMounts(output: string): { device: string; mount: string; fstype: string }[] {
  return output.split('\n').flatMap((line) => {
    const [, device, mount, fstype, options] = /^(\/dev\/\S+) on (.+) \((\w+), ([^)]*)\)$/.exec(line) ?? []
    if (device === undefined || mount === undefined || fstype === undefined) return []
    // Volumes beside the root share its container and are internal.
    return mount.startsWith('/System/Volumes/') || options?.includes('nobrowse')
      ? []
      : [{ device, mount, fstype }]
  })
}

/** From `ps -o pid=,ppid=,pgid=,stat=,command=`: the processes of a run, by group, mark and parent. */
export function parsePsRunProcesses(output: string, root: number, marker: string): number[] {
  const entries = output.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, command] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || state?.startsWith('Z') !== false) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command: command ?? '' }]
  })
  const mark = ` MUSTER_RUN=${marker} `
  const found = new Set<number>()
  for (const { pid, group, command } of entries) {
    if (root > 0 && (pid === root || group === root)) found.add(pid)
    if (`${command} `.includes(mark)) found.add(pid)
  }
  let before = -1
  while (found.size !== before) {
    before = found.size
    for (const { pid, parent } of entries) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return [...found]
}
