import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageChange } from '@muster/rules/agents/package-change'
import { PackageName } from '@muster/contract/agent/patches'
import type { InstalledPackage } from '@muster/contract/agent/software'
import { MeasureError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import {
  ask,
  describeEnd,
  listWith,
  makePackageTools,
  type PackageManager,
  type PackageUpgrade,
  runManager,
} from '../package-managers.ts'
import { foldersIn, type InstallerEnd } from '../package-tools.ts'

const NONE = 'This machine has neither winget nor Chocolatey, so its packages cannot be changed by name.'

/** Where Windows keeps winget. Services do not find it by its name. */
function findWinget(): string | undefined {
  const apps = join(process.env.ProgramFiles ?? 'C:\\Program Files', 'WindowsApps')
  let folders: string[] = []
  try {
    folders = readdirSync(apps).filter((name) =>
      /^Microsoft\.DesktopAppInstaller_.*__8wekyb3d8bbwe$/.test(name),
    )
  } catch {
    // Only SYSTEM may list the folder, and older systems have none.
  }
  const files = folders.toSorted().toReversed().map((folder) => join(apps, folder, 'winget.exe')) // prettier-ignore
  return findProgram('winget', ...files)
}

const AGREE = ['--accept-source-agreements', '--disable-interactivity']
const WINGET: Record<PackageChange, string[]> = {
  install: ['install', '--silent', '--accept-package-agreements'],
  upgrade: ['upgrade', '--silent', '--accept-package-agreements'],
  remove: ['uninstall', '--silent'],
}

const winget: PackageManager = {
  name: 'winget',
  isThere: () => findWinget() !== undefined,
  offers: async (name) => (await askWinget('show', name)).code === 0,
  has: async (name) => (await askWinget('list', name)).code === 0,
  change: (what, name) =>
    runManager([findWinget() ?? 'winget', ...WINGET[what], '--id', name, '--exact', ...AGREE], {
      isDone: (code) => code !== null && WINGET_DONE.has(code >>> 0),
      describe: describeWingetFailure,
    }),
  async listUpgrades(signal) {
    const output = await listWith(findWinget() ?? 'winget', ['list', ...AGREE], {
      codes: [0],
      signal,
      name: 'winget',
    })
    return parseWingetList(output)
  },
}

/**
 * Parses the table of `winget list`: name, id, installed and available version, source. The titles are in the language
 * of the system, so only their places count. Packages that no source of winget offers are left out.
 */
export function parseWingetList(output: string): PackageUpgrade[] {
  // Its progress is drawn over itself by carriage returns.
  const lines = output.split('\n').map((line) => line.replace(/\r$/, '').split('\r').at(-1) ?? '')
  const rule = lines.findIndex((line) => /^-{20,}$/.test(line.trim()))
  const titles = rule < 1 ? undefined : lines[rule - 1]
  if (titles === undefined)
    throw new MeasureError('winget failed to list newer versions: its list cannot be read.')
  const starts = Array.from(titles.matchAll(/\S+/g), ({ index }) => index)
  // Without any newer version, that column is missing.
  if (starts.length < 4) return []
  const hasAvailable = starts.length > 4
  return lines.slice(rule + 1).flatMap((line): PackageUpgrade[] => {
    const cells = starts.map((start, at) => line.slice(start, starts[at + 1]).trim())
    const [name = '', id = '', version = ''] = cells
    const source = cells[hasAvailable ? 4 : 3] ?? ''
    // A long name or id is cut.
    if (source === '' || name === '' || /…/.test(name) || !PackageName.safeParse(id).success) return []
    const available = hasAvailable ? cells[3] || undefined : undefined
    return [{ source: 'windows', name, version: version.replace(/^[<>] /, ''), available, packageId: id }]
  })
}

function askWinget(verb: 'show' | 'list', name: string) {
  return ask(findWinget() ?? 'winget', [verb, '--id', name, '--exact', ...AGREE])
}

/** Return codes of winget (doc/windows/package-manager/winget/returnCodes.md). */
const WINGET_DONE: ReadonlySet<number> = new Set([
  0,
  // UPDATE_NOT_APPLICABLE: no newer version.
  0x8a15002b,
  // PACKAGE_ALREADY_INSTALLED
  0x8a150061,
  // INSTALL_REBOOT_REQUIRED_TO_FINISH
  0x8a150109,
])
const WINGET_REASONS: Record<number, string> = {
  0x8a150011: 'The hash of the installer does not match. Nothing was installed.',
  0x8a150014: 'The package was not found.',
  0x8a150101: 'The program is running. Close it, and try again.',
  0x8a150102: 'Another installation is running. Try again when it has finished.',
  0x8a150104: 'A package that it needs is missing.',
  0x8a150105: 'Not enough free disk space.',
  0x8a150108: 'The machine has to restart first.',
  0x8a150111: 'Files of the program are in use. Close it, and try again.',
}

export function describeWingetFailure(end: InstallerEnd): string {
  const code = end.code === null ? null : end.code >>> 0
  const reason = code === null ? undefined : WINGET_REASONS[code]
  if (reason !== undefined) return reason
  const shown = code === null ? 'was killed' : `exited with 0x${code.toString(16).toUpperCase()}`
  const said = end.said.split(/\r?\n/).findLast((line) => /\p{L}/u.test(line))
  return said === undefined ? `winget ${shown}.` : `winget ${shown}: ${said.trim().slice(0, 400)}`
}

const chocolateyFolder = () => process.env.ChocolateyInstall ?? 'C:\\ProgramData\\chocolatey'
const findChoco = () => findProgram('choco', join(chocolateyFolder(), 'bin\\choco.exe'))
/** Exit codes of Windows Installer that ask for a restart, which choco passes on. */
const CHOCO_DONE: readonly (number | null)[] = [0, 1641, 3010]

const chocolatey: PackageManager = {
  name: 'chocolatey',
  isThere: () => findChoco() !== undefined,
  offers: async (name) => {
    if (!isOnePackage(name)) return false
    const { stdout } = await ask(findChoco() ?? 'choco', ['search', name, '--exact', '--limit-output'])
    return stdout.toLowerCase().startsWith(`${name.toLowerCase()}|`)
  },
  // Its versions disagree about the option that lists only installed packages.
  has: async (name) => isOnePackage(name) && existsSync(join(chocolateyFolder(), 'lib', name)),
  change: (what, name) =>
    runManager(
      [
        findChoco() ?? 'choco',
        what === 'remove' ? 'uninstall' : what,
        name,
        '-y',
        '--no-progress',
        '--limit-output',
      ],
      { isDone: (code) => CHOCO_DONE.includes(code), describe: describeChocoFailure },
    ),
  async listUpgrades(signal) {
    const args = ['outdated', '--limit-output', '--ignore-unfound']
    return parseChocoOutdated(await listWith(findChoco() ?? 'choco', args, { codes: [0, 2], signal, name: 'chocolatey' })) // prettier-ignore
  },
}

/** Chocolatey takes `all` for every package, and these endings for files. */
const isOnePackage = (name: string) => !/^all$|\.(config|nupkg|nuspec)$/i.test(name)

/** Parses lines such as `7zip|24.8.0|24.9.0|false`; pinned packages are left out. */
export function parseChocoOutdated(output: string): PackageUpgrade[] {
  return output.split(/\r?\n/).flatMap((line): PackageUpgrade[] => {
    const [name = '', version = '', available = '', pinned] = line.trim().split('|')
    if (pinned !== 'false' || available === version) return []
    return [{ source: 'chocolatey', name, version, available }]
  })
}

/** The packages of Chocolatey, from its folder: `choco list` takes other options in each of its versions. */
export function listChocolatey(): InstalledPackage[] {
  const folder = join(chocolateyFolder(), 'lib')
  return foldersIn(folder).flatMap((name): InstalledPackage[] => {
    const text = readIfThere(join(folder, name, `${name}.nuspec`))
    const field = (tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1]?.trim() ?? ''
    if (field('version') === '') return []
    return [
      {
        name,
        version: field('version'),
        publisher: field('authors'),
        source: 'chocolatey',
        size: null,
        install_date: null,
        uninstall: null,
      },
    ]
  })
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A folder without a description is no package.
    return ''
  }
}

export function describeChocoFailure(end: InstallerEnd): string {
  if (/The package was not found with the source/.test(end.said)) return 'The package was not found.'
  if (/Access to the path .* is denied|elevated command shell/i.test(end.said))
    return 'Access is denied: the agent does not run as SYSTEM or as an administrator.'
  return describeEnd('choco', end, /^\s*(ERROR|Failures|- .*\(exited)|not installed|Unable to/)
}

export const windowsPackages = makePackageTools([winget, chocolatey], NONE)
