import { randomBytes, verify, X509Certificate } from 'node:crypto'
import {
  CERTIFICATE_PROOF_PATH,
  certificateProof,
  CertificateProof,
} from '@muster/contract/agent/certificate-proof'
import { shownCommand } from '../cli/shown-command.ts'
import { type Identity, readPublicKey, storeTrust, takeStoredTrust } from '../identity/identity.ts'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import { serverAddress } from './address.ts'
import { postJson } from './post-json.ts'
import { connectBy, connectUnchecked, hashOf, type UntrustedCertificate } from './server-trust.ts'

// A server with a new certificate proves that it is the server of the enrolment: with its command key it signs a random
// text of this agent and the hash of the certificate that it serves. The agent compares that hash with the certificate of
// the connection that the proof came by. An attacker in between can pass the request on, but the server then signs its own
// certificate, and not that of the attacker. The request holds no secret, and nothing else is sent before the proof.

const PROOF_WITHIN_MS = 20_000

interface Options {
  folder: string
  /** Changed in place: everything that connects to the server shares it. */
  identity: Identity
  /** Command line that starts this agent. */
  program: readonly string[]
  os: Pick<Os, 'defaultDataFolder'>
  log: Log
  signal: AbortSignal
  withinMs?: number
}

/** Returns undefined if the agent may connect again, or else what is wrong and what to do. */
export async function regainTrust(
  options: Options,
  untrusted: UntrustedCertificate,
): Promise<string | undefined> {
  const { folder, identity, log, signal, withinMs = PROOF_WITHIN_MS } = options
  const limits = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  try {
    if (takeStoredTrust(folder, identity)) {
      log.info({}, 'trust in the certificate of the server was changed on this machine')
      return undefined
    }
    const { peer, authority } = await requestProof(identity, limits)
    identity.ca_pem = authority ?? (comesFrom(peer, identity.ca_pem) ? identity.ca_pem : null)
    identity.proven_certificate = hashOf(peer)
    log.info(
      { certificate: identity.proven_certificate, problem: untrusted.message },
      'the server proved its new certificate',
    )
  } catch (cause) {
    const detail = limits.aborted ? 'it did not respond in time' : describeError(cause)
    const why = cause instanceof NoProof ? cause.message : `The server did not prove it: ${detail}.`
    return `${untrusted.message}. ${why} If the certificate is right, run on this machine with the PEM file of its authority or of itself: ${shownCommand(options, 'trust', '--ca', 'FILE')}`
  }
  storeTrust(folder, identity, log)
  return undefined
}

/** The message is a sentence for users. */
class NoProof extends Error {
  override name = 'NoProof'
}

interface Proof {
  /** The certificate of the connection that the proof came by. */
  peer: X509Certificate
  authority: string | null
}

/** Throws NoProof if the server cannot prove its certificate, or if it is not the server. */
async function requestProof(identity: Identity, signal: AbortSignal): Promise<Proof> {
  const url = serverAddress(identity.server_url, CERTIFICATE_PROOF_PATH)
  const nonce = randomBytes(32).toString('base64url')
  let peer: X509Certificate | undefined
  const createConnection = connectBy(identity, PROOF_WITHIN_MS, (tunnel) => {
    const socket = connectUnchecked(identity, PROOF_WITHIN_MS, tunnel)
    return socket.once('secureConnect', () => (peer = socket.getPeerX509Certificate()))
  })
  const options = { createConnection, defaultPort: 443, timeout: PROOF_WITHIN_MS, signal }
  const { status, text } = await postJson(url, { nonce }, options)
  if (status === 404) throw new NoProof('The server is too old to prove it. Update the server.')
  if (status === 409) throw new NoProof('It is that of a proxy, so the server cannot prove it.')
  if (status !== 200) throw new NoProof(`The server did not prove it: it returned status ${status}.`)
  const proof = CertificateProof.safeParse(tryJson(text)).data
  if (proof === undefined || peer === undefined || !isSigned(proof, { nonce, key: identity.command_key }))
    throw new NoProof('It belongs to another server than the one that this machine enrolled at.')
  if (proof.certificate !== hashOf(peer))
    throw new NoProof('The server proved another certificate: a proxy or an attacker is in between.')
  // With a text that is no certificate, Node would silently trust no server at all.
  if (proof.authority !== null) void new X509Certificate(proof.authority)
  return { peer, authority: proof.authority }
}

function isSigned(proof: CertificateProof, { nonce, key }: { nonce: string; key: string }): boolean {
  const signed = Buffer.from(certificateProof(nonce, proof))
  return verify(null, signed, readPublicKey(key), Buffer.from(proof.signature, 'base64url'))
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const MAX_CHAIN = 10

/**
 * Returns true if the CA of the enrolment has issued the certificate, whatever its name and dates: then only these were
 * wrong, and the CA is kept. A CA that the server has left may have lost its key, so it is not.
 */
function comesFrom(certificate: X509Certificate, caPem: string | null): boolean {
  const authorities = (caPem?.match(CERTIFICATES) ?? []).map((pem) => new X509Certificate(pem))
  let last = certificate
  for (let depth = 0; depth < MAX_CHAIN; depth += 1) {
    if (authorities.some((authority) => isIssuedBy(last, authority))) return true
    // Sent by the server, so its signature has to be checked as well.
    const issuer = last.issuerCertificate
    if (issuer === undefined || !isIssuedBy(last, issuer)) return false
    last = issuer
  }
  return false
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}
