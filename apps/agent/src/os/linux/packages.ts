import type { PackageChange } from '@muster/rules/agents/package-change'
import { AgentError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import {
  ask,
  describeNeeded,
  listWith,
  makePackageTools,
  type PackageManager,
  runManager,
} from '../package-managers.ts'
import { requireRoot } from '../package-tools.ts'
import { firstLine } from '../run-tool.ts'
import { installAptPackage, removeAptPackage, upgradeAptPackage } from './apt-install.ts'
import { describeDnfFailure, parseDnfUpdates } from './dnf.ts'
import { APT_SIMULATION, parseAptSimulation } from './patches.ts'
import { describeZypperFailure, parseZypperUpdates } from './zypper.ts'

const NONE = 'This machine has neither apt, dnf nor zypper, so its packages cannot be changed.'

const apt: PackageManager = {
  name: 'apt',
  isThere: () => findProgram('apt-get') !== undefined,
  offers: async (name) => /^\s+Candidate: (?!\(none\))\S/m.test(await readPolicy(name)),
  has: async (name) => /^\s+Installed: (?!\(none\))\S/m.test(await readPolicy(name)),
  change(what, name) {
    requireRoot()
    if (what === 'install') return installAptPackage(name)
    return what === 'upgrade' ? upgradeAptPackage(name) : removeAptPackage(name)
  },
  async listUpgrades(signal) {
    const output = await listWith('apt-get', APT_SIMULATION, { codes: [0], signal, name: 'apt' })
    return parseAptSimulation(output).map(({ title, current_version, version }) => ({
      source: 'dpkg',
      name: title,
      version: current_version,
      available: version,
    }))
  },
}

/** Empty if there is no package of this name: for apt, `ba.h` is also a pattern, and `bash+` an order. */
async function readPolicy(name: string): Promise<string> {
  const { stdout } = await ask('apt-cache', ['policy', '--', name])
  const [title = ''] = stdout.split('\n')
  return [`${name}:`, `${name.replace(/:\w+$/, '')}:`].includes(title) ? stdout : ''
}

/** The software list writes `glibc:i686`, rpm reads `glibc.i686`. */
const rpmName = (name: string) => name.replace(/:(\w+)$/, '.$1')

async function hasRpm(name: string): Promise<boolean> {
  return (await ask('rpm', ['-q', '--', rpmName(name)])).code === 0
}

/** Throws AgentError if other packages need this one: dnf and zypper would remove them as well. */
async function refuseNeededRpm(name: string): Promise<void> {
  const { code, stderr, stdout } = await ask('rpm', ['-e', '--test', '--', rpmName(name)])
  if (code === 0) return
  const needed = [...`${stderr}\n${stdout}`.matchAll(/is needed by \(installed\) (\S+)/g)]
  throw new AgentError(
    needed.length === 0
      ? `Nothing was removed: ${firstLine(stderr, stdout)}`
      : describeNeeded(
          name,
          needed.map(([, by = '']) => by),
        ),
  )
}

/** The name in the software list of `glibc.i686`. */
const listedName = (guid: string) => guid.replace(/\.(i[36]86)$/, ':$1').replace(/\.\w+$/, '')

const dnfProgram = () => (findProgram('dnf') === undefined ? 'yum' : 'dnf')

const dnf: PackageManager = {
  name: 'dnf',
  isThere: () => findProgram('dnf', 'yum') !== undefined,
  offers: async (name) => (await ask(dnfProgram(), ['-q', 'list', rpmName(name)])).code === 0,
  has: hasRpm,
  async change(what, name) {
    requireRoot()
    if (what === 'remove') await refuseNeededRpm(name)
    // dnf would wait forever for another instance.
    await runManager([dnfProgram(), '-y', '--setopt=exit_on_lock=True', what, rpmName(name)], {
      isDone: (code) => code === 0,
      describe: describeDnfFailure,
    })
  },
  async listUpgrades(signal) {
    // From its cache, which its own timer and the scans for patches refresh.
    const args = ['-q', '-C', 'check-update']
    const output = await listWith(dnfProgram(), args, { codes: [0, 100], signal, name: 'dnf' })
    return parseDnfUpdates(output, { installed: '', security: '' }).map(({ guid, version }) => ({
      source: 'rpm',
      name: listedName(guid),
      version: '',
      available: version,
    }))
  },
}

const ZYPPER: Record<PackageChange, string[]> = {
  install: ['install', '--no-recommends', '--auto-agree-with-licenses'],
  upgrade: ['update', '--auto-agree-with-licenses'],
  remove: ['remove'],
}
/** Exit codes of zypper(8) that ask for a restart of the machine or of zypper itself. */
const ZYPPER_DONE: readonly (number | null)[] = [0, 102, 103]

const zypper: PackageManager = {
  name: 'zypper',
  isThere: () => findProgram('zypper') !== undefined,
  offers: async (name) =>
    (await ask('zypper', ['-n', '-q', 'search', '--match-exact', '-t', 'package', rpmName(name)])).code === 0,
  has: hasRpm,
  async change(what, name) {
    requireRoot()
    if (what === 'remove') await refuseNeededRpm(name)
    await runManager(['zypper', '-n', ...ZYPPER[what], rpmName(name)], {
      isDone: (code) => ZYPPER_DONE.includes(code),
      describe: describeZypperFailure,
    })
  },
  async listUpgrades(signal) {
    const args = ['-n', '--xmlout', '--no-refresh', 'list-updates']
    const output = await listWith('zypper', args, { codes: [0, 106], signal, name: 'zypper' })
    return parseZypperUpdates(output).map(({ guid, current_version, version }) => ({
      source: 'rpm',
      name: guid,
      version: current_version,
      available: version,
    }))
  },
}

/** Installs a package file with what it needs. Throws AgentError. */
export async function installRpmFile(path: string): Promise<void> {
  if (dnf.isThere())
    return runManager([dnfProgram(), '-y', '--setopt=exit_on_lock=True', 'install', path], {
      isDone: (code) => code === 0,
      describe: describeDnfFailure,
    })
  if (!zypper.isThere()) throw new AgentError('This machine has neither dnf nor zypper to install RPM files.')
  await runManager(['zypper', '-n', 'install', '--allow-unsigned-rpm', path], {
    isDone: (code) => ZYPPER_DONE.includes(code),
    describe: describeZypperFailure,
  })
}

export const linuxManagers = { apt, dnf, zypper }
export const linuxPackages = makePackageTools([apt, dnf, zypper], NONE)
