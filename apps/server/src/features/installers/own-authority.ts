import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../../platform/config/config.ts'

/**
 * The certificate that machines shall trust from now on, and no other: the one in the server's certificate file that
 * signed itself. A file without such a one comes from an authority that machines know anyway; its own certificate is
 * replaced every few weeks, so pinning that would lock every machine out.
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
