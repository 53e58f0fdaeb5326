import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
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
