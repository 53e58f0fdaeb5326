import type { PackageChange } from '@muster/rules/agents/package-change'
import type { PackageManagerName, PackageSource } from '@muster/contract/agent/software'
import { AgentError, MeasureError } from '../errors.ts'
import { type InstallerEnd, runInstaller } from './package-tools.ts'
import { firstLine, runTool } from './run-tool.ts'

const ASK_LIMIT_MS = 60_000
/** The whole scan of the software must end within 38 seconds. */
const LIST_LIMIT_MS = 25_000

/** A program that installs, upgrades and removes packages by name. */
export interface PackageManager {
  name: PackageManagerName
  isThere(): boolean
  /** Whether it knows a package that it can install. */
  offers(name: string): Promise<boolean>
  /** Whether the package is installed. */
  has(name: string): Promise<boolean>
  /** Prints what it does. Throws AgentError. */
  change(what: PackageChange, name: string): Promise<void>
  /** Asks only what the machine has stored, or for a short time. Throws MeasureError. */
  listUpgrades(signal: AbortSignal): Promise<PackageUpgrade[]>
}

/** A package of the software list, as a package manager knows it. */
export interface PackageUpgrade {
  source: PackageSource
  /** As in the software list. */
  name: string
  /** The installed version; empty = any. */
  version: string
  /** Undefined if it is the newest version. */
  available: string | undefined
  /** Its name in the package manager, if that is another one. */
  packageId?: string
}

export interface UpgradeScan {
  managers: PackageManagerName[]
  upgrades: PackageUpgrade[]
  /** Why upgrades may be missing, as a sentence. */
  problem: string | null
}

/**
 * Changes packages by name. Loaded in a child process, see `cli/install-order.ts`: the standard output is shown to the
 * user.
 */
export interface PackageTools {
  /**
   * Installs the first of these that a package manager offers; upgrades or removes the first that is installed. Throws
   * AgentError.
   */
  change(what: PackageChange, names: readonly string[]): Promise<void>
  /** Looks for newer versions. A manager that fails does not stop the others. */
  findUpgrades(signal: AbortSignal): Promise<UpgradeScan>
}

/** The package managers of a system, in the order in which they are used. `none` is the error without any. */
export function makePackageTools(managers: readonly PackageManager[], none: string): PackageTools {
  return {
    async change(what, names) {
      const there = managers.filter((manager) => manager.isThere())
      if (there.length === 0) throw new AgentError(none)
      for (const name of names)
        for (const manager of there)
          if (await (what === 'install' ? manager.offers(name) : manager.has(name)))
            return manager.change(what, name)
      throw new AgentError(
        what === 'install'
          ? `Package ${names.join(' or ')} was not found. Check that the package lists are up to date.`
          : `Package ${names.join(' or ')} is not installed on this machine.`,
      )
    },
    async findUpgrades(signal) {
      const there = managers.filter((manager) => manager.isThere())
      const found = await Promise.all(there.map((manager) => listQuietly(manager, signal)))
      return {
        managers: there.map(({ name }) => name),
        upgrades: found.flatMap(({ upgrades }) => upgrades),
        problem: found.map(({ problem }) => problem).filter((problem) => problem !== '').join(' ') || null, // prettier-ignore
      }
    },
  }
}

async function listQuietly(manager: PackageManager, signal: AbortSignal) {
  try {
    return { upgrades: await manager.listUpgrades(signal), problem: '' }
  } catch (cause) {
    if (!(cause instanceof MeasureError)) throw cause
    return { upgrades: [], problem: cause.message }
  }
}

/** Asks a package manager something that changes nothing. */
export function ask(program: string, args: string[], limitMs = ASK_LIMIT_MS) {
  return runTool(program, args, { signal: AbortSignal.timeout(limitMs + 1000), timeoutMs: limitMs })
}

/** The output of a package manager that lists newer versions. Throws MeasureError. */
export async function listWith(
  program: string,
  args: string[],
  { codes, signal, name }: { codes: readonly number[]; signal: AbortSignal; name: PackageManagerName },
): Promise<string> {
  const { code, stdout, stderr } = await runTool(program, args, { signal, timeoutMs: LIST_LIMIT_MS })
  if (code === null)
    throw new MeasureError(`${name} did not list newer versions within ${LIST_LIMIT_MS / 1000} seconds.`)
  if (!codes.includes(code))
    throw new MeasureError(
      `${name} failed to list newer versions: ${firstLine(stderr, stdout).slice(0, 200)}`,
    )
  return stdout
}

/** Runs a package manager. `isDone` reads its exit code. Throws AgentError with the words of `describe`. */
export async function runManager(
  [program = '', ...args]: readonly string[],
  { isDone, describe }: { isDone: (code: number | null) => boolean; describe: (end: InstallerEnd) => string },
): Promise<void> {
  const end = await runInstaller(program, args)
  if (!isDone(end.code)) throw new AgentError(describe(end))
}

/** The end of what an installer printed that looks like an error, or how it ended. */
export function describeEnd(program: string, { code, said }: InstallerEnd, pattern: RegExp): string {
  const trouble = said.split('\n').findLast((line) => pattern.test(line))
  const how = code === null ? `${program} was killed` : `${program} exited with code ${code}`
  return trouble === undefined ? `${how}.` : `${how}: ${trouble.trim().slice(0, 400)}`
}

/** Why a package is not removed. */
export function describeNeeded(name: string, by: readonly string[]): string {
  const few = [...new Set(by)].slice(0, 5)
  const more = new Set(by).size - few.length
  return `Nothing was removed, because other packages need ${name}: ${few.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}
