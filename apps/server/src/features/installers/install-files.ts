import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { X509Certificate } from 'node:crypto'
import type { Config } from '../../platform/config/config.ts'

/**
 * Returns the only certificate that machines trust: the self-signed one in the server's certificate file. A file
 * without one comes from a public authority; its own certificate is replaced every few weeks, so pinning it would lock
 * every machine out.
 */
export function findOwnAuthority(tls: Config['tls']): string | undefined {
  if (tls === undefined) return undefined
  const certificates = readFileSync(tls.certFile, 'utf8').match(CERTIFICATE) ?? []
  return certificates.find((pem) => {
    const certificate = new X509Certificate(pem)
    return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)
  })
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const ROOT = resolve(import.meta.dirname, '../../../../..')

/** The agent as one file, built by `npm start`. */
export const AGENT_PROGRAM = join(ROOT, 'apps/agent/dist/agent.mjs')
/** The agent's sources, which run on the server's own machine. */
export const AGENT_SOURCE = join(ROOT, 'apps/agent/src/main.ts')

const ARCHES = new Map([
  ['x86_64', 'x64'],
  ['aarch64', 'arm64'],
])

/** Path of the native terminal module for this machine, if this server has it. */
export function terminalModule(machine: string): string | undefined {
  const arch = ARCHES.get(machine)
  if (arch === undefined) return undefined
  return [
    join(ROOT, `apps/agent/dist/pty/linux-${arch}.node`),
    join(ROOT, `node_modules/@lydell/node-pty-linux-${arch}/pty.node`),
  ].find((path) => existsSync(path))
}

/** Path of a Node binary for this processor (as printed by `uname -m`), if this server has one. */
export function nodeProgram(machine: string): string | undefined {
  const arch = ARCHES.get(machine)
  if (arch === undefined) return undefined
  const pinned = join(ROOT, 'node_modules', `node-linux-${arch}`, 'bin/node')
  if (existsSync(pinned)) return pinned
  return process.platform === 'linux' && process.arch === arch ? process.execPath : undefined
}
