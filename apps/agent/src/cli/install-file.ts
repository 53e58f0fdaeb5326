import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Detection, PackageFileOrder } from '@muster/contract/agent/package-files'
import { isComplete } from '@muster/rules/agents/package-states'
import { platformOf } from '@muster/rules/agents/package-files'
import { compareVersions } from '@muster/rules/search/search-values'
import { AgentError } from '../errors.ts'
import { downloadFile } from '../link/download-file.ts'
import type { Server } from '../link/server-trust.ts'
import { os } from '../os/index.ts'
import { describeEnd } from '../os/package-managers.ts'
import { type InstallerEnd, requireRoot, runInstaller } from '../os/package-tools.ts'

interface Source extends Server {
  path: string
  /** Private to the agent, and deleted after the run. */
  folder: string
}

/**
 * Downloads a package file, checks its hash and installs it, unless its detection finds it already. Throws AgentError,
 * also if the detection does not find it afterwards.
 */
export async function installFile(order: PackageFileOrder, source: Source): Promise<void> {
  const { name, format, bytes, sha256, token, detection } = order
  if (platformOf(format) !== os.platform)
    throw new AgentError(`This machine cannot install ${format.toUpperCase()} files.`)
  if (detection !== null && (await isDetected(detection))) {
    process.stdout.write(`Already installed: ${describeDetection(detection)} was found.\n`)
    return
  }
  const file = join(source.folder, name)
  process.stdout.write(`Downloading ${name} (${bytes} bytes)\n`)
  await downloadFile(file, {
    path: source.path,
    token,
    bytes,
    sha256,
    what: name,
    server: source,
    signal: new AbortController().signal,
  })
  await INSTALLERS[format](file, order.args)
  if (detection !== null && !(await isDetected(detection)))
    throw new AgentError(
      `The installer has ended, but ${describeDetection(detection)} was not found afterwards.`,
    )
}

/** Exported for tests: each format belongs to one system. */
export const INSTALLERS: Record<PackageFileOrder['format'], (file: string, args: string) => Promise<void>> = {
  msi: (file, args) => runWindows('msiexec', ['/i', `"${file}"`, '/qn', '/norestart', args]),
  exe: (file, args) => runWindows(file, [args]),
  async pkg(file) {
    requireRoot()
    const end = await runInstaller('installer', ['-pkg', file, '-target', '/'])
    if (end.code !== 0) throw new AgentError(describeEnd('installer', end, /^installer: (?!Package name)/))
  },
  async deb(file) {
    requireRoot()
    const { installAptFile } = await import('../os/linux/apt-install.ts')
    await installAptFile(file)
  },
  async rpm(file) {
    requireRoot()
    const { installRpmFile } = await import('../os/linux/packages.ts')
    await installRpmFile(file)
  },
}

/** Installed; the machine has to restart later, or restarts now. */
const DONE: readonly (number | null)[] = [0, 3010, 1641]

async function runWindows(program: string, args: string[]): Promise<void> {
  const end = await runInstaller(program, args.filter((part) => part !== ''), { verbatim: true }) // prettier-ignore
  if (!DONE.includes(end.code)) throw new AgentError(describeInstallerFailure(end))
  if (end.code !== 0) process.stdout.write('Restart the machine to finish.\n')
}

/** Errors of Windows Installer (Windows Installer error codes, msi.dll), which other installers use too. */
const REASONS: Record<number, string> = {
  1601: 'the service Windows Installer cannot be reached',
  1602: 'it was cancelled',
  1603: 'a fatal error during the installation',
  1613: 'it needs a newer Windows Installer',
  1618: 'another installation is running; try again when it has finished',
  1619: 'the file cannot be opened',
  1620: 'the file is no package of Windows Installer',
  1624: 'an error in its transforms',
  1627: 'the package cannot be run',
  1625: 'a policy of the machine forbids it',
  1633: 'the package is for another kind of processor',
  1638: 'another version is already installed',
  1639: 'an argument of the command line is invalid',
}

export function describeInstallerFailure({ code, said }: InstallerEnd): string {
  if (code === null) return 'The installer was killed.'
  const reason = REASONS[code] ?? said.trim().split(/\r?\n/).at(-1)?.slice(0, 300).replace(/\.$/, '')
  return `The installer exited with code ${code}${reason ? `: ${reason}` : ''}.`
}

async function isDetected(detection: Detection): Promise<boolean> {
  switch (detection.by) {
    case 'file':
      return existsSync(expandVariables(detection.path))
    case 'package': {
      const list = await (await os.loadSoftwareTools()).list(new AbortController().signal)
      const wanted = detection.name.toLowerCase()
      const { version } = detection
      return list.some(
        (one) =>
          one.name.toLowerCase() === wanted &&
          isComplete(one.states ?? []) &&
          (version === '' || compareVersions(one.version, version) >= 0),
      )
    }
    case 'registry': {
      if (os.platform !== 'windows') throw new AgentError('Only Windows has a registry.')
      const { keyExists, readText } = await import('../os/windows/registry/read-values.ts')
      const { key, value, data } = detection
      if (value === '') return keyExists(key)
      const text = await readText(key, value)
      return text !== undefined && (data === '' || text === data)
    }
  }
}

/** `%ProgramFiles%\App` with the variables of the agent. */
function expandVariables(path: string): string {
  return path.replaceAll(/%([^%]+)%/g, (whole, name: string) => process.env[name] ?? whole)
}

function describeDetection(detection: Detection): string {
  switch (detection.by) {
    case 'file':
      return `the file ${detection.path}`
    case 'package':
      return `the package ${detection.name}${detection.version === '' ? '' : ` ${detection.version} or newer`}`
    case 'registry':
      return `the registry ${detection.value === '' ? 'key' : `value ${detection.value} in`} ${detection.key}`
  }
}
