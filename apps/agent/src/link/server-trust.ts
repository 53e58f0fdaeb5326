import { createHash, type X509Certificate } from 'node:crypto'
import type { RequestOptions } from 'node:https'
import { connect as connectTcp, isIP, Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Identity } from '../identity/identity.ts'
import { openTunnel } from './proxy.ts'

/** The server, the way to it, and what its certificate is checked against. */
export type Server = Pick<Identity, 'server_url' | 'ca_pem' | 'proven_certificate' | 'proxy'>

export function serverOf({ server_url, ca_pem, proven_certificate, proxy }: Server): Server {
  return { server_url, ca_pem, proven_certificate, ...(proxy !== undefined && { proxy }) }
}

/** The connection was closed before anything was sent. The message is for users, without a period. */
export class UntrustedCertificate extends Error {
  override name = 'UntrustedCertificate'
}

/** For every request to the server. */
export function requestOptions(server: Server, timeoutMs: number): RequestOptions {
  const connection = connectionTo(server, timeoutMs)
  return {
    timeout: timeoutMs,
    // With an agent, createConnection would be ignored; without one, the port must be named.
    ...(connection === undefined
      ? { agent: false }
      : { createConnection: connection, defaultPort: isEncrypted(server) ? 443 : 80 }),
  }
}

type CreateConnection = NonNullable<RequestOptions['createConnection']>

/** For every connection to the server. Undefined: Node's own will do. */
export function connectionTo(server: Server, timeoutMs: number): CreateConnection | undefined {
  if (isEncrypted(server))
    return connectBy(server, timeoutMs, (tunnel) => connectTrusted(server, timeoutMs, tunnel))
  if (server.proxy === undefined) return undefined
  return connectBy(server, timeoutMs, (tunnel) => tunnel ?? connectTcp(targetOf(server)))
}

/** Connects through the proxy, if there is one: then the socket is returned by the callback. */
export function connectBy(
  server: Server,
  timeoutMs: number,
  start: (tunnel: Socket | undefined) => Socket,
): CreateConnection {
  return (_options, done) => {
    const { proxy } = server
    if (proxy === undefined) return start(undefined)
    const connect = async () => {
      const tunnel = await openTunnel(proxy, targetOf(server), timeoutMs).catch((cause: Error) => cause)
      // Nobody looks at the socket of a failure.
      if (tunnel instanceof Error) done(tunnel, new Socket())
      else done(null, start(tunnel))
    }
    void connect()
    return undefined
  }
}

/** As connectTrusted, through the proxy if there is one. Throws ProxyError. */
export async function openTrusted(server: Server, timeoutMs: number): Promise<TLSSocket> {
  const tunnel =
    server.proxy === undefined ? undefined : await openTunnel(server.proxy, targetOf(server), timeoutMs)
  return connectTrusted(server, timeoutMs, tunnel)
}

function targetOf(server: Server): { host: string; port: number } {
  const { hostname, port } = new URL(server.server_url)
  // URLs have IPv6 addresses in brackets.
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || (isEncrypted(server) ? 443 : 80)) }
}

export function isEncrypted({ server_url }: Pick<Server, 'server_url'>): boolean {
  return new URL(server_url).protocol === 'https:'
}

/**
 * Connects to a server whose certificate is valid by the CA of the enrolment (without one, by the CAs that Node knows),
 * or is the proven one: then its name and dates do not matter.
 */
function connectTrusted(server: Server, timeoutMs: number, tunnel: Socket | undefined): TLSSocket {
  const socket = connectUnchecked(server, timeoutMs, tunnel)
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

/** Connects to any server, or begins TLS in an open tunnel. The caller checks the certificate. */
export function connectUnchecked(server: Server, timeoutMs: number, tunnel: Socket | undefined): TLSSocket {
  const { host, port } = targetOf(server)
  const { ca_pem } = server
  return connectTls({
    ...(tunnel === undefined ? { host, port } : { socket: tunnel, host }),
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
