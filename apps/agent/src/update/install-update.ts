import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentManifest } from '@muster/contract/agent/updates'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { AgentError } from '../errors.ts'
import { downloadFile } from '../link/download-file.ts'
import type { Server } from '../link/server-trust.ts'
import { describeError } from '../log/log.ts'
import {
  PROGRAM,
  programFile,
  readCurrent,
  syncFolder,
  versionFolder,
  writeCurrent,
} from './program-folder.ts'

export interface UpdateTarget {
  folder: string
  agentVersion: string
  server: Server
  signal: AbortSignal
}

/** Throws AgentError if this version must not or cannot be installed here. Called before anything is downloaded. */
export function refuseUpdate(manifest: AgentManifest, { folder, agentVersion }: UpdateTarget): void {
  const { version, node, rollback } = manifest
  const order = compareAgentVersions(version, agentVersion)
  if (order === 0) throw new AgentError(`Version ${version} is already running.`)
  if (order < 0 && !rollback)
    throw new AgentError(`Version ${version} is older than ${agentVersion}, and the order is no rollback.`)
  const ownNode = Number(process.versions.node.split('.')[0])
  if (ownNode < node)
    throw new AgentError(
      `Version ${version} needs Node ${node}, and this agent has ${ownNode}. Reinstall it.`,
    )
  if (readCurrent(folder)?.state === 'trial')
    throw new AgentError(`Version ${agentVersion} is still on trial. Try again in a few minutes.`)
}

/**
 * Downloads a version, compares size and hash, and makes it the current one, on trial. The agent must then restart. A
 * failure at any point leaves the running version in place.
 */
export async function installUpdate(manifest: AgentManifest, target: UpdateTarget): Promise<void> {
  const { folder, agentVersion } = target
  const { version, sha256, node, trial_seconds } = manifest
  const draft = versionFolder(folder, `${version}.new`)
  try {
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true, mode: 0o755 })
    const { server, signal } = target
    await downloadFile(join(draft, PROGRAM), {
      path: manifest.path,
      bytes: manifest.bytes,
      sha256,
      what: `version ${version}`,
      server,
      signal,
    })
    syncFolder(draft)
    const final = dirname(programFile(folder, version))
    // Left by an attempt that ended before the switch, or by a trial that failed.
    if (existsSync(final)) rmSync(final, { recursive: true })
    renameSync(draft, final)
    syncFolder(dirname(final))
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    if (cause instanceof AgentError) throw cause
    throw new AgentError(`Failed to install version ${version}: ${describeError(cause)}.`, { cause })
  }
  const before = readCurrent(folder)
  if (before?.current.version !== agentVersion)
    throw new AgentError(`The program folder names another version than the running ${agentVersion}.`)
  writeCurrent(folder, {
    current: { version, sha256, node },
    previous: before.current,
    state: 'trial',
    starts: 0,
    trial_seconds,
    failed: null,
  })
}
