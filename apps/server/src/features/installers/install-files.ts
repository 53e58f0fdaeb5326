import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createHash, X509Certificate } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
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

/** The address for machines: the public URL, else the requested address. */
export function serverUrl(config: Config, request: FastifyRequest): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  return `${config.tls === undefined ? 'http' : 'https'}://${request.headers.host ?? ''}`
}

/** How machines that install an agent recognize this server. */
export interface ServerTrust {
  /** PEM of the only authority that they trust. Absent: those that they know. */
  authority: string | undefined
  /** Hex SHA-256 of the server's certificate. Absent without TLS. */
  certificateHash: string | undefined
  /** base64 SHA-256 of the certificate's public key, in the format of `curl --pinnedpubkey`. Absent without TLS. */
  keyPin: string | undefined
}

export function findServerTrust(tls: Config['tls']): ServerTrust {
  if (tls === undefined) return { authority: undefined, certificateHash: undefined, keyPin: undefined }
  // The first certificate of the file is the server's own.
  const { raw, publicKey } = new X509Certificate(readFileSync(tls.certFile))
  const key = publicKey.export({ format: 'der', type: 'spki' })
  return {
    authority: findOwnAuthority(tls),
    certificateHash: createHash('sha256').update(raw).digest('hex'),
    keyPin: createHash('sha256').update(key).digest('base64'),
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

export const ROOT = resolve(import.meta.dirname, '../../../../..')

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
