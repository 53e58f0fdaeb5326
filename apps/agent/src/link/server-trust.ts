import { createHash, type X509Certificate } from 'node:crypto'
import type { RequestOptions } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect, TLSSocket } from 'node:tls'
import type { Identity } from '../identity/identity.ts'

/** The server, and what its certificate is checked against. */
export type Server = Pick<Identity, 'server_url' | 'ca_pem' | 'proven_certificate'>

export function serverOf({ server_url, ca_pem, proven_certificate }: Server): Server {
  return { server_url, ca_pem, proven_certificate }
}

/** The connection was closed before anything was sent. The message is for users, without a period. */
export class UntrustedCertificate extends Error {
  override name = 'UntrustedCertificate'
}

/** For every request to the server. */
export function requestOptions(server: Server, timeoutMs: number): RequestOptions {
  return {
    timeout: timeoutMs,
    // With an agent, createConnection would be ignored; without one, the port must be named.
    ...(isEncrypted(server)
      ? { createConnection: () => connectTrusted(server, timeoutMs), defaultPort: 443 }
      : { agent: false }),
  }
}

export function isEncrypted({ server_url }: Pick<Server, 'server_url'>): boolean {
  return new URL(server_url).protocol === 'https:'
}

/**
 * Connects to a server whose certificate is valid by the CA of the enrolment (without one, by the CAs that Node knows),
 * or is the proven one: then its name and dates do not matter.
 */
export function connectTrusted(server: Server, timeoutMs: number): TLSSocket {
  const socket = connectUnchecked(server, timeoutMs)
  // Before every other listener, and where Node would check: nothing was sent yet.
  socket.once('secureConnect', () => {
    if (socket.authorized || isProven(socket, server)) return
    socket.destroy(new UntrustedCertificate(describeDistrust(server, String(socket.authorizationError))))
  })
  return socket
}

/** The server has moved on from its proven certificate, to one that needs no proof. */
export function isProofObsolete(socket: Socket, server: Server): boolean {
  return (
    server.proven_certificate !== null &&
    socket instanceof TLSSocket &&
    socket.authorized &&
    !isProven(socket, server)
  )
}

function isProven(socket: TLSSocket, { proven_certificate }: Server): boolean {
  const peer = socket.getPeerX509Certificate()
  return peer !== undefined && hashOf(peer) === proven_certificate
}

/** Connects to any server. The caller checks the certificate. */
export function connectUnchecked({ server_url, ca_pem }: Server, timeoutMs: number): TLSSocket {
  const { hostname, port } = new URL(server_url)
  // URLs have IPv6 addresses in brackets.
  const host = hostname.replaceAll(/[[\]]/g, '')
  return connect({
    host,
    port: Number(port || 443),
    servername: isIP(host) === 0 ? host : '',
    timeout: timeoutMs,
    rejectUnauthorized: false,
    ...(ca_pem === null ? {} : { ca: ca_pem }),
  })
}

/** Hex SHA-256, as in the contract. */
export function hashOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex')
}

const UNKNOWN_AUTHORITY = 'it comes from an authority that this machine does not know'

const REASONS: Partial<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  CERT_HAS_EXPIRED: 'it has expired, or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'it is not valid yet, or the clock of this machine is wrong',
}

/** Node's own sentences advise flags of Node. */
function describeDistrust({ server_url }: Server, code: string): string {
  const reason = REASONS[code] ?? `it is not valid (${code})`
  return `${new URL(server_url).host} presents a certificate that this machine does not trust: ${reason}`
}
