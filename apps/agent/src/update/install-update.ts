import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import type { AgentManifest } from '@muster/contract/agent/updates'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { AgentError } from '../errors.ts'
import type { Identity } from '../identity/identity.ts'
import { serverAddress } from '../link/address.ts'
import { describeError } from '../log/log.ts'
import {
  PROGRAM,
  programFile,
  readCurrent,
  syncFolder,
  versionFolder,
  writeCurrent,
} from './program-folder.ts'

const STALL_MS = 30_000

export interface UpdateTarget {
  folder: string
  agentVersion: string
  identity: Pick<Identity, 'server_url' | 'ca_pem'>
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
  const { version, sha256, trial_seconds } = manifest
  const draft = versionFolder(folder, `${version}.new`)
  try {
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true, mode: 0o755 })
    await download(manifest, target, join(draft, PROGRAM))
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
    current: { version, sha256 },
    previous: before.current,
    state: 'trial',
    starts: 0,
    trial_seconds,
    failed: null,
  })
}

/** Writes the program to `file`, and reads no byte more than announced. */
async function download(
  { path, bytes, sha256, version }: AgentManifest,
  { identity, signal }: UpdateTarget,
  file: string,
): Promise<void> {
  const response = await get(serverAddress(identity.server_url, path), identity.ca_pem, signal)
  const { createGunzip } = process.getBuiltinModule('node:zlib')
  const isPacked = response.headers['content-encoding'] === 'gzip'
  const content = isPacked ? response.pipe(createGunzip()) : response
  response.on('error', (error) => content.destroy(error))
  response.on('aborted', () => content.destroy(new Error('the connection was lost')))
  const hash = createHash('sha256')
  const handle = openSync(file, 'w', 0o644)
  let received = 0
  try {
    for await (const part of content) {
      // Streams of bytes without an encoding yield buffers.
      const chunk = part as Buffer
      received += chunk.byteLength
      if (received > bytes)
        throw new AgentError(`The download of version ${version} is longer than announced.`)
      hash.update(chunk)
      writeSync(handle, chunk)
    }
    fsyncSync(handle)
  } finally {
    response.destroy()
    closeSync(handle)
  }
  if (received < bytes)
    throw new AgentError(
      `The download of version ${version} ended after ${received} of ${bytes} bytes. Try again.`,
    )
  if (hash.digest('hex') !== sha256)
    throw new AgentError(`The download of version ${version} does not have the announced hash.`)
}

/** Without `fetch`, which would stay in the memory of the agent. */
async function get(url: URL, caPem: string | null, signal: AbortSignal): Promise<IncomingMessage> {
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(
      url,
      {
        headers: { 'accept-encoding': 'gzip' },
        agent: false,
        timeout: STALL_MS,
        signal,
        ...(caPem === null ? {} : { ca: caPem }),
      },
      resolve,
    )
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('the server did not respond in time')))
    request.end()
  })
  if (response.statusCode === 200) return response
  response.destroy()
  throw new AgentError(`The server returned status ${response.statusCode} for ${url.pathname}.`)
}
