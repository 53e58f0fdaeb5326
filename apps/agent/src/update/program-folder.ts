import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

// The program folder of an installed agent:
//
//   node                          the Node that runs it
//   muster-agent.mjs              the launcher
//   current.json                  which version runs, see Current
//   versions/1.4.0/agent.mjs      at most two versions
//   package/agent.mjs             the version of the package, if a package installed the agent
//
// A package owns all of it but versions and current.json, which `lay-out` and updates write.
//
// The launcher and the agent both use this file, which therefore imports only Node. Each change is one rename, so a
// process that is killed at any point leaves a folder from which the launcher starts a working version.

export const LAUNCHER = 'muster-agent.mjs'
export const PROGRAM = 'agent.mjs'
const CURRENT = 'current.json'
const VERSIONS = 'versions'
const PACKAGED = 'package'
/** Starts of a version on trial. A version that was not confirmed after so many is given up. */
export const MAX_TRIAL_STARTS = 3

export interface Version {
  version: string
  /** hex SHA-256 of its program. */
  sha256: string
  /** The oldest major version of Node that runs it; absent in files of earlier versions. */
  node?: number
}

export interface Current {
  current: Version
  previous: Version | null
  /** `trial`: `current` was started and has not proven itself. `rolled-back`: `failed` was given up. */
  state: 'trial' | 'confirmed' | 'rolled-back'
  /** Starts of the trial. */
  starts: number
  trial_seconds: number
  failed: { version: string; reason: string } | null
}

/** The program folder of this agent, if its launcher has started it. */
export function findProgramFolder(script: string | undefined): string | undefined {
  return script !== undefined && basename(script) === LAUNCHER ? dirname(script) : undefined
}

export function programFile(folder: string, version: string): string {
  return join(folder, VERSIONS, version, PROGRAM)
}

/** The program of the package. No update changes it. */
export function packagedProgram(folder: string): string {
  return join(folder, PACKAGED, PROGRAM)
}

/** Returns undefined if the file is missing or damaged. */
export function readCurrent(folder: string): Current | undefined {
  try {
    // Written below; the parts that decide what is started are checked.
    const found = JSON.parse(readFileSync(join(folder, CURRENT), 'utf8')) as Partial<Current>
    if (!isVersion(found.current)) return undefined
    const isKnown = found.state === 'trial' || found.state === 'confirmed' || found.state === 'rolled-back'
    return {
      current: found.current,
      previous: isVersion(found.previous) ? found.previous : null,
      state: isKnown && found.state !== undefined ? found.state : 'confirmed',
      starts: Number(found.starts ?? 0),
      trial_seconds: Number(found.trial_seconds ?? 120),
      failed: found.failed ?? null,
    }
  } catch {
    return undefined
  }
}

export function writeCurrent(folder: string, current: Current): void {
  replaceFile(join(folder, CURRENT), `${JSON.stringify(current)}\n`)
}

/** Gives the version on trial up. */
export function rollBack(folder: string, reason: string): Current | undefined {
  const before = readCurrent(folder)
  if (before?.state !== 'trial' || before.previous === null) return before
  const after: Current = {
    ...before,
    current: before.previous,
    previous: null,
    state: 'rolled-back',
    starts: 0,
    failed: { version: before.current.version, reason },
  }
  writeCurrent(folder, after)
  return after
}

/** The version on trial is connected, and a report of it was acknowledged. Returns false if it was not on trial. */
export function confirmTrial(folder: string, version: string): boolean {
  const before = readCurrent(folder)
  if (before?.state !== 'trial' || before.current.version !== version) return false
  writeCurrent(folder, { ...before, state: 'confirmed', starts: 0, failed: null })
  return true
}

/**
 * Lays out a program folder, or brings an existing one to this version: used by installers and packages. The launcher
 * comes from the folder of the program, unless a package has put it in place.
 */
export function layOutProgram(
  folder: string,
  given: Pick<Version, 'version' | 'node'> & { program: string; failed: Current['failed'] },
): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const before = readCurrent(folder)
  const sha256 = hashFile(given.program)
  const target = programFile(folder, given.version)
  if (given.program !== target) {
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
    copyFile(given.program, target)
  }
  const launcher = join(dirname(given.program), LAUNCHER)
  const isThere = given.program === packagedProgram(folder) || launcher === join(folder, LAUNCHER)
  if (!isThere) copyFile(launcher, join(folder, LAUNCHER))
  // A version that failed here is not kept.
  const isKept = before?.current.version !== given.version && given.failed === null
  const previous = isKept ? (before?.current ?? null) : null
  writeCurrent(folder, {
    current: { version: given.version, sha256, ...(given.node === undefined ? {} : { node: given.node }) },
    previous,
    state: 'confirmed',
    starts: 0,
    trial_seconds: 0,
    failed: given.failed,
  })
  removeOtherVersions(folder)
  // Earlier installers had one version, without a launcher.
  rmSync(join(folder, PROGRAM), { force: true })
}

export function removeOtherVersions(folder: string): void {
  const current = readCurrent(folder)
  if (current === undefined) return
  const kept = new Set([current.current.version, current.previous?.version])
  for (const name of listVersions(folder)) {
    if (!kept.has(name)) rmSync(join(folder, VERSIONS, name), { recursive: true, force: true })
  }
}

/** Removes what a package does not own, so that the package can remove the rest. */
export function removeVersions(folder: string): void {
  for (const name of [VERSIONS, CURRENT, `${CURRENT}.new`])
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
}

/** Names in the folder of versions, also of unfinished downloads. */
export function listVersions(folder: string): string[] {
  const versions = join(folder, VERSIONS)
  return existsSync(versions) ? readdirSync(versions) : []
}

export function versionFolder(folder: string, name: string): string {
  return join(folder, VERSIONS, name)
}

export function hashFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Makes a rename inside this folder last. Windows needs no such call, and refuses it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  const handle = openSync(draft, 'w', 0o644)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
  syncFolder(dirname(file))
}

function copyFile(from: string, to: string): void {
  const draft = `${to}.new`
  copyFileSync(from, draft)
  const handle = openSync(draft, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, to)
  syncFolder(dirname(to))
}

function isVersion(value: Version | null | undefined): value is Version {
  return typeof value?.version === 'string' && typeof value.sha256 === 'string'
}
