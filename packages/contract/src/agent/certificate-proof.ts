import { z } from 'zod'
import { Signature } from './enrol.ts'

export const CERTIFICATE_PROOF_PATH = '/agent/certificate-proof/'

/** Hex SHA-256 of a certificate in DER. */
export const CertificateHash = z.string().regex(/^[0-9a-f]{64}$/)

export const CertificateProofRequest = z.object({
  /** 32 random bytes, base64url. */
  nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
})
export type CertificateProofRequest = z.infer<typeof CertificateProofRequest>

/**
 * The server's word that it serves this certificate: `signature` is made with its command key over
 * `muster-certificate-1\n{nonce}\n{certificate}\n{authority}`, with an empty authority for null.
 */
export const CertificateProof = z.object({
  /** The certificate of the connection that the request came by. */
  certificate: CertificateHash,
  /** PEM of the only authority that a machine trusts when it enrols now. Null: public authorities. */
  authority: z.string().max(32_768).nullable(),
  signature: Signature,
})
export type CertificateProof = z.infer<typeof CertificateProof>

export function certificateProof(
  nonce: string,
  { certificate, authority }: Pick<CertificateProof, 'certificate' | 'authority'>,
): string {
  return `muster-certificate-1\n${nonce}\n${certificate}\n${authority ?? ''}`
}
