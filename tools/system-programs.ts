import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findPostgres } from './test-postgres.ts'

/** Programs of the machine that tests use. `package` is Debian's name. */
export const SYSTEM_PROGRAMS = {
  chromium: { package: 'chromium', find: findChromium },
  postgres: { package: 'postgresql', find: findPostgres },
  nats: { package: 'nats-server', find: () => findOnPath('nats-server', ['/usr/sbin', '/usr/local/sbin']) },
  xterm: { package: 'xterm', find: () => findOnPath('xterm') },
  xvfb: { package: 'xvfb', find: () => findOnPath('Xvfb') },
  x11vnc: { package: 'x11vnc', find: () => findOnPath('x11vnc') },
  xmessage: { package: 'x11-utils', find: () => findOnPath('xmessage') },
  // Installs the Debian that has Wine (apps/agent/wine/wine-machine.ts).
  debootstrap: { package: 'debootstrap', find: () => findOnPath('debootstrap', ['/usr/sbin']) },
  // Build packages of the agent (deploy/packages.mjs).
  wixl: { package: 'wixl msitools', find: () => findOnPath('wixl') },
  rpmbuild: { package: 'rpm', find: () => findOnPath('rpmbuild') },
  osslsigncode: { package: 'osslsigncode', find: () => findOnPath('osslsigncode') },
  // Sign packages, and take a signed one apart.
  gpg: { package: 'gnupg', find: () => findOnPath('gpg-agent') && findOnPath('gpg') },
  ar: { package: 'binutils', find: () => findOnPath('ar') },
  systemd: { package: 'systemd', find: () => findOnPath('systemd', ['/lib/systemd']) },
} as const
export type SystemProgram = keyof typeof SYSTEM_PROGRAMS

// Object.keys returns string[], the object above has exactly these.
const names = Object.keys(SYSTEM_PROGRAMS) as SystemProgram[]

/** Debian's Chromium that has no windows of its own. Without it the tests use the usual one, which is slower. */
const HEADLESS = 'chromium-headless-shell'

/** Installs missing programs where that is allowed (root on Debian), and returns those still missing. */
export function installSystemPrograms(): SystemProgram[] {
  const missing = names.filter((name) => SYSTEM_PROGRAMS[name].find() === undefined)
  const mayInstall = process.getuid?.() === 0 && findOnPath('apt-get') !== undefined
  if (!mayInstall) return missing
  if (missing.length > 0) {
    installPackages(missing.flatMap((name) => SYSTEM_PROGRAMS[name].package.split(' ')))
  }
  // Separately, and only beside Debian's Chromium: a missing package must not fail the others.
  if (findOnPath(HEADLESS) === undefined && existsSync('/usr/lib/chromium/chromium')) {
    installPackages([HEADLESS])
  }
  return names.filter((name) => SYSTEM_PROGRAMS[name].find() === undefined)
}

function installPackages(packages: string[]): void {
  console.log(`Installing ${packages.join(', ')} ...`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', '--no-remove', ...packages]]) {
    spawnSync('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
}

export function findOnPath(program: string, more: string[] = []): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...more]
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file))
}

export function findChromium(): string | undefined {
  const given = process.env['MUSTER_CHROMIUM']
  const found =
    given ?? findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome')
  return found !== undefined && existsSync(found) && startsUp(found) ? found : undefined
}

/** The browser of the tests: the same engine without tabs, toolbars and profiles, at half the processor for each page. */
export function findTestChromium(): string | undefined {
  const shell = process.env['MUSTER_CHROMIUM'] === undefined ? findOnPath(HEADLESS) : undefined
  return shell !== undefined && startsUp(shell) ? shell : findChromium()
}

/** Whether a machine with process, control group and disk names of its own can be started inside this one. */
export function canNestMachines(): boolean {
  const script =
    'mount -t tmpfs none /mnt && mkdir /mnt/g /mnt/n /mnt/w && mount -t cgroup2 none /mnt/g && mkdir /mnt/g/muster-probe && ' +
    'rmdir /mnt/g/muster-probe && mount -t overlay -o lowerdir=/opt,upperdir=/mnt/n,workdir=/mnt/w none /opt'
  const args = ['--mount', '--pid', '--fork', '--cgroup', '--uts', 'sh', '-c', script]
  return process.getuid?.() === 0 && spawnSync('unshare', args, { stdio: 'ignore' }).status === 0
}

/** Whether a program may have mounts and processes of its own. */
export function canIsolate(): boolean {
  const args = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', 'true']
  return process.getuid?.() === 0 && spawnSync('unshare', args, { stdio: 'ignore' }).status === 0
}

/** Ubuntu puts a program of this name there that only says how to install the browser. */
function startsUp(file: string): boolean {
  try {
    return /\d+\.\d+/.test(execFileSync(file, ['--version'], { encoding: 'utf8', stdio: 'pipe' }))
  } catch {
    return false
  }
}
