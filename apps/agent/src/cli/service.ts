import { spawnSync } from 'node:child_process'
import { isAbsolute, join, resolve } from 'node:path'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { z } from 'zod'
import { dataFiles, makeDataFolder, writePrivateFile } from '../identity/data-folder.ts'
import { findIdentity, requireIdentity } from '../identity/identity.ts'
import { os } from '../os/index.ts'
import { startDetachedProcess } from '../os/unsupported.ts'
import { CliError } from '../errors.ts'
import { isLocked } from '../state/lock.ts'
import { type GivenEnrolment, readEnrolment } from './enrol.ts'
import { LOW_MEMORY_FLAGS } from './low-memory-start.ts'
import { writePendingEnrolment } from './pending-enrolment.ts'
import { endAgents, restartAgents } from './running-agents.ts'
import {
  findProgramFolder,
  hashFile,
  layOutProgram,
  packagedProgram,
  programFile,
  readCurrent,
  removeVersions,
} from '../update/program-folder.ts'
import { AGENT_VERSION, OLDEST_NODE } from '../version.ts'

/** The package that contains the program: `deb`, `rpm`, or `msi:{PRODUCT-CODE}`. */
const PackageName = z.string().regex(/^(deb|rpm|msi:\{[0-9A-Fa-f-]{36}\})$/)
const Installation = z.object({ program_folder: z.string().optional(), package: PackageName.optional() })
type Installation = z.infer<typeof Installation>

interface InstallOptions {
  folder: string
  program: string[]
  /** The folder that contains the program itself. `uninstall` removes it. */
  programFolder: string | undefined
  /** The package that contains the program. It may be installed without an enrolment, and without systemd. */
  packageName: string | undefined
  /** Used when the service starts. */
  enrolment: GivenEnrolment
}

/** Installs this agent as a system service. Safe to repeat. */
export async function install(options: InstallOptions): Promise<void> {
  const { folder, programFolder, packageName } = options
  await keepEnrolment(options)
  if (programFolder !== undefined || packageName !== undefined) {
    makeDataFolder(folder)
    await os.protectFolder?.(folder)
    const installation = Installation.parse({
      program_folder: programFolder === undefined ? undefined : checkProgramFolder(programFolder),
      package: packageName,
    })
    writePrivateFile(folder, dataFiles.installation, `${JSON.stringify(installation)}\n`)
  }
  await registerService(options)
  // Agents with other data folders, and those that no service has started.
  const ownFolder = programFolder ?? findProgramFolder(process.argv[1])
  if (ownFolder !== undefined && os.platform === 'linux') await restartAgentsOf(ownFolder)
}

/**
 * Keeps a given server for the first start. An enrolled machine stays with its server: Windows lets every user repeat the
 * installation of a package as the system.
 */
async function keepEnrolment({ folder, packageName, enrolment }: InstallOptions): Promise<void> {
  const isGiven = [enrolment.server, enrolment.token].some((text) => text !== undefined && text !== '')
  if (isGiven && packageName !== undefined && existsSync(join(folder, dataFiles.identity))) {
    return say(
      'This machine is already enrolled, so the given server and token were not used. To enrol it at another server, run "muster-agent enrol --server URL".',
    )
  }
  if (isGiven) {
    const { serverUrl, token, caPem, proxy } = await readEnrolment(enrolment)
    await writePendingEnrolment(folder, {
      server_url: serverUrl,
      token,
      ca_pem: caPem,
      ...(proxy !== null && { proxy }),
    })
  } else if (packageName === undefined) {
    requireIdentity(folder)
  }
}

async function registerService({ folder, program, packageName }: InstallOptions): Promise<void> {
  const isPending = existsSync(join(folder, dataFiles.enrolment))
  if (!isPending && findIdentity(folder) === undefined) {
    say(
      'This machine is not enrolled yet. Run "muster-agent enrol --server URL", then "muster-agent install", or without systemd "muster-agent run".',
    )
    return
  }
  const service = await os.loadService()
  const given = { folder, program: withLowMemory(program) }
  const placed = packageName === undefined ? undefined : service.placeForBoot?.(given)
  say(placed ?? (await service.install(given)))
}

function checkProgramFolder(folder: string): string {
  if (isAbsolute(folder) && folder.split(/[/\\]/).filter(Boolean).length > 1) return folder
  throw new CliError(`"${folder}" cannot be the program folder. Use its full path`)
}

/** On other systems the agent replaces its own process, which Windows cannot. */
function withLowMemory([node = '', ...rest]: string[]): string[] {
  if (os.platform !== 'windows') return [node, ...rest]
  return [node, ...LOW_MEMORY_FLAGS, ...rest.filter((part) => !LOW_MEMORY_FLAGS.includes(part))]
}

/**
 * Makes this program the version that runs from a program folder. Safe to repeat, also over an earlier version. A package
 * that is installed on top of an agent that has updated itself further keeps the newer version.
 */
export async function layOut(programFolder: string | undefined): Promise<void> {
  if (programFolder === undefined) throw new CliError('lay-out needs --program-folder')
  const [folder, program] = [resolve(programFolder), resolve(process.argv[1] ?? '')]
  const newer = program === packagedProgram(folder) ? findNewerVersion(folder) : undefined
  if (newer !== undefined && newer.problem === undefined)
    return say(`Version ${newer.version} is in ${folder}. It is newer than the package and stays.`)
  const failed = newer?.problem === undefined ? null : { version: newer.version, reason: newer.problem }
  layOutProgram(folder, { program, version: AGENT_VERSION, node: OLDEST_NODE, failed })
  if (failed !== null) say(failed.reason)
  say(`Version ${AGENT_VERSION} is in ${folder}.`)
}

/** For packages and installers that are about to remove the program. */
export async function endAgentsOf(programFolder: string | undefined): Promise<void> {
  if (programFolder === undefined) throw new CliError('end-agents needs --program-folder')
  await endAgents({ programFolder: checkProgramFolder(programFolder) })
}

/** For packages and installers that have replaced the program. */
export async function restartAgentsOf(programFolder: string | undefined): Promise<void> {
  if (programFolder === undefined) throw new CliError('restart-agents needs --program-folder')
  for (const sentence of await restartAgents(checkProgramFolder(programFolder))) say(sentence)
}

/**
 * The version in the folder, if it is newer than this one and its program is undamaged. `problem`: this package has
 * brought a Node that is too old for it.
 */
function findNewerVersion(folder: string): { version: string; problem?: string } | undefined {
  const current = readCurrent(folder)?.current
  if (current === undefined || compareAgentVersions(current.version, AGENT_VERSION) <= 0) return undefined
  const { version, sha256, node = 0 } = current
  const file = programFile(folder, version)
  if (!existsSync(file) || hashFile(file) !== sha256) return undefined
  const ownNode = Number(process.versions.node.split('.')[0])
  if (node <= ownNode) return { version }
  return {
    version,
    problem: `An older package was installed, whose Node ${ownNode} does not run version ${version}, which needs Node ${node}. Install a newer package.`,
  }
}

const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(dataFiles))
/** Files of SQLite and former logs. The installer stores the server's certificate there. */
const OWN_FILES = /^(state\.|agent\.lock|agent\.log|server-ca\.pem$)/

/**
 * Removes the service, the agent's data, and the program if the installer created a folder for it. A package removes
 * its own files itself, and calls this with `byPackage`.
 */
export async function uninstall(folder: string, byPackage: boolean): Promise<void> {
  const installation = findInstallation(folder)
  if (!byPackage && installation?.package !== undefined) return removePackage(installation.package)
  say(`${await (await os.loadService()).uninstall(folder)}`)
  const ownFolder = byPackage ? findProgramFolder(process.argv[1]) : undefined
  if (ownFolder !== undefined) removeVersions(ownFolder)
  const programFolder = installation?.program_folder
  const removed = { dataFolder: folder, programFolder: ownFolder ?? programFolder }
  await endAgents(removed)
  if (!existsSync(folder)) {
    say(`There is no data folder ${folder}.`)
    return
  }
  if (isLocked(folder)) throw new CliError(`an agent is still running with ${folder}. Stop it first`)
  removeData(folder)
  // Another service manager may have started it between the two, with the identity that is gone now.
  await endAgents(removed)
  say(`The agent's data in ${folder} was removed.`)
  if (programFolder === undefined) return
  removeProgram(programFolder)
  say(`The program in ${programFolder} was removed.`)
}

function removePackage(name: NonNullable<Installation['package']>): void {
  if (name.startsWith('msi:')) {
    // It cannot remove this program while it runs.
    startDetachedProcess(['msiexec.exe', '/x', name.slice(4), '/qn', '/norestart'])
    say('Windows Installer removes the agent.')
    return
  }
  const [program, ...args] =
    name === 'deb' ? ['dpkg', '--purge', 'muster-agent'] : ['rpm', '--erase', 'muster-agent']
  const { status, stderr, error } = spawnSync(program ?? '', args, { encoding: 'utf8' })
  if (status !== 0)
    throw new CliError(
      `${program} failed to remove the agent: ${error?.message ?? stderr.trim().slice(-500)}`,
    )
  say('The package muster-agent was removed.')
}

/** Windows keeps files of running programs, so another program removes them a moment later. */
function removeProgram(folder: string): void {
  if (process.platform !== 'win32') return rmSync(folder, { recursive: true, force: true })
  const step = `rmdir /s /q "${folder}" 2>nul & if not exist "${folder}" exit`
  const command = `for /l %i in (1,1,60) do @(${step}) & ping -n 2 127.0.0.1 >nul`
  startDetachedProcess([process.env.ComSpec ?? 'cmd.exe', '/d', '/s', '/c', command])
}

/** Removes only the agent's own files: the folder may contain others. */
function removeData(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (OWN_NAMES.has(name) || OWN_FILES.test(name))
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

function findInstallation(folder: string): Installation | undefined {
  const file = join(folder, dataFiles.installation)
  if (!existsSync(file)) return undefined
  return Installation.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
}

/** Windows Installer runs this program without an output. */
function say(sentence: string): void {
  try {
    writeSync(1, `${sentence}\n`)
  } catch {
    // There is no output to write to.
  }
}
