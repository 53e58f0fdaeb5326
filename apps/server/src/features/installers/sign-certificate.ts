import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { certificateProof, type CertificateProof } from '@muster/contract/agent/certificate-proof'
import { AppError } from '@muster/contract/errors'
import type { SigningKey } from '../../platform/agent-link/keys.ts'

/**
 * Signs the certificate of this very connection, for an agent that does not trust it. Anybody may request that, also in
 * the name of an agent: the signature is of use only to the server that holds the certificate's key. See
 * docs/decisions/0121-certificate-proof.md.
 */
export function signCertificate(
  key: SigningKey,
  { nonce, socket, authority }: { nonce: string; socket: Socket; authority: string | null },
): CertificateProof {
  const served = socket instanceof TLSSocket ? socket.getX509Certificate() : undefined
  if (served === undefined) {
    throw new AppError(
      'conflict',
      'This server does not serve the certificate, so it cannot prove it: a proxy in front of it does.',
    )
  }
  const content = { certificate: createHash('sha256').update(served.raw).digest('hex'), authority }
  return { ...content, signature: key.sign(certificateProof(nonce, content)) }
}
