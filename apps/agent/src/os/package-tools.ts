import type { InstalledPatch, Patch } from '@muster/contract/agent/patches'
import type { InstalledPackage } from '@muster/contract/agent/software'
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, searchPath } from '../run/find-program.ts'
import { AgentError } from '../errors.ts'
import { describeMissing } from '../run/describe-missing.ts'
import { withStartUmask } from './umask.ts'

export interface PatchScan {
  patches: Patch[]
  /** Why the list may be outdated, as a message. */
  problem: string | null
  /** Whether the machine has to reboot, if only the patch tool of the system knows. */
  needsReboot?: boolean
}

/**
 * Updates a system. Loaded in child processes, see `collectors/child-reports.ts` and `cli/install-order.ts`: the
 * standard output of an installation is shown to the user.
 */
export interface PatchTools {
  /** `refresh`: always refresh the lists, or only if they are old. Throws MeasureError if no tool is available. */
  scan(options: { refresh: 'now' | 'when old'; signal: AbortSignal }): Promise<PatchScan>
  /** The patches that the system has recorded as installed. Throws MeasureError. */
  listInstalled(signal: AbortSignal): Promise<InstalledPatch[]>
  /** Installs all patches, or those with these names from `scan`. Throws AgentError. */
  install(guids: readonly string[] | null): Promise<void>
}

/** A patch with defaults for unknown fields. */
export function makePatch(known: Pick<Patch, 'guid' | 'source' | 'title'> & Partial<Patch>): Patch {
  return {
    kb: '',
    version: '',
    current_version: '',
    severity: '',
    security: false,
    categories: [],
    description: '',
    more_info_urls: [],
    size: null,
    downloaded: false,
    needs_reboot: false,
    ...known,
  }
}

/** A list of one installed patch, with defaults for unknown fields; empty if its time is invalid. */
export function makeInstalledPatch({
  at,
  ...known
}: Pick<InstalledPatch, 'guid' | 'source' | 'title'> &
  Partial<InstalledPatch> & { at: Date }): InstalledPatch[] {
  if (Number.isNaN(at.getTime())) return []
  return [{ kb: '', version: '', severity: '', ...known, installed_at: at.toISOString() }]
}

/** The installed software of a system. Loaded in a child process, see `collectors/child-reports.ts`. */
export interface SoftwareTools {
  /** Throws MeasureError if the system has no such list. */
  list(signal: AbortSignal): Promise<InstalledPackage[]>
}

/** The day of a time in Unix seconds, in UTC; null if it is invalid. */
export function dayOf(seconds: number): string | null {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds >= 253_402_300_800) return null
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** A size from a tool that prints it in units of this many bytes; null if it is no number. */
export function sizeOf(text: string, unitBytes = 1): number | null {
  return /^\d{1,12}$/.test(text) ? Number(text) * unitBytes : null
}

const MAX_OUTPUT_CHARACTERS = 16_000

export interface InstallerEnd {
  code: number | null
  /** The end of its output, to find the error. */
  said: string
}

/**
 * Runs an installer and passes its output on as it arrives. In English and without prompts. `onStatus` receives its
 * output on descriptor 3.
 */
export function runInstaller(
  name: string,
  args: readonly string[],
  {
    env = {},
    onStatus,
    verbatim = false,
  }: {
    env?: Record<string, string>
    onStatus?: (text: string) => void
    /** Windows: the arguments are parts of a command line, with their own quotes. */
    verbatim?: boolean
  } = {},
): Promise<InstallerEnd> {
  const program = findProgram(name)
  if (program === undefined) throw new AgentError(describeMissing(name))
  const child = withStartUmask(() =>
    spawn(program, args, {
      env: { ...process.env, PATH: searchPath(), LC_ALL: 'C', LANG: 'C', ...env },
      stdio: ['ignore', 'pipe', 'pipe', onStatus === undefined ? 'ignore' : 'pipe'],
      windowsHide: true,
      ...(verbatim ? { windowsVerbatimArguments: true, argv0: `"${program}"` } : {}),
    }),
  )
  let said = ''
  const listen = (from: Readable | null, to: NodeJS.WriteStream) => {
    if (from === null) return
    from.pipe(to, { end: false })
    from
      .setEncoding('utf8')
      .on('data', (text: string) => (said = (said + text).slice(-MAX_OUTPUT_CHARACTERS)))
  }
  listen(child.stdout, process.stdout)
  listen(child.stderr, process.stderr)
  // Descriptor 3 is a read-only pipe if requested.
  const status = child.stdio[3] as Readable | null | undefined
  if (onStatus !== undefined) status?.setEncoding('utf8').on('data', onStatus)
  return new Promise((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new AgentError(`Failed to start ${name}: ${cause.message}.`, { cause })),
    )
    child.on('close', (code) => resolve({ code, said }))
  })
}

/** Only an administrator of the machine may install software. */
export function requireRoot(): void {
  if (process.getuid !== undefined && process.getuid() !== 0)
    throw new AgentError('The agent on this machine does not run as root, so it cannot install software.')
}

/** The result of `brew list --versions`, read from the folders, because brew refuses to run as root. */
export function listHomebrew(prefixes: string[]): InstalledPackage[] {
  const rooms = prefixes.flatMap((prefix) => ['Cellar', 'Caskroom'].map((room) => join(prefix, room)))
  return rooms.flatMap((room) =>
    foldersIn(room).flatMap((name) =>
      foldersIn(join(room, name)).map((version) => ({
        name,
        version,
        publisher: '',
        source: 'homebrew' as const,
        size: null,
        install_date: null,
        uninstall: null,
      })),
    ),
  )
}

/** Empty if the folder does not exist. */
export function foldersIn(folder: string): string[] {
  let found: Dirent[]
  try {
    found = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return found
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted()
}
