import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { OutboundTargets } from '../config/config.ts'
import { OutboundError } from './outbound-error.ts'
import { resolveTarget, type TargetsSetting } from './resolve-target.ts'

interface Target {
  host: string
  port: number
  targets: OutboundTargets
  signal: AbortSignal
  /** Named in a refusal. */
  setting?: TargetsSetting
}

/** Connects to an address checked by resolveTarget. */
export async function connectTarget({ host, port, targets, signal, setting }: Target): Promise<Socket> {
  const addresses = await resolveTarget(host, targets, setting)
  let last: unknown
  for (const address of addresses) {
    signal.throwIfAborted()
    try {
      return await openSocket(address, port, signal)
    } catch (error) {
      last = error
    }
  }
  throw last
}

/** Connects with TLS. Sends nothing to a server with an invalid certificate unless `ignoreCertificate` is set. */
export async function connectSecurely(target: Target & { ignoreCertificate: boolean }): Promise<TLSSocket> {
  const { host, signal, ignoreCertificate } = target
  const socket = await connectTarget(target)
  const secure = connectTls({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ALPNProtocols: ['http/1.1'],
    // Verified below: the expiry date of an invalid certificate is also of interest.
    rejectUnauthorized: false,
  })
  await untilEvent(secure, 'secureConnect', signal)
  if (secure.authorized || ignoreCertificate) return secure
  const problem = String(secure.authorizationError)
  const cert_days = daysLeft(secure)
  secure.destroy()
  throw new CertificateError(describeCertificate(problem, host), cert_days)
}

export class CertificateError extends OutboundError {
  override name = 'CertificateError'
  readonly certDays: number | null

  constructor(message: string, certDays: number | null) {
    super(message)
    this.certDays = certDays
  }
}

/** Days until the peer's certificate expires. */
export function daysLeft(secure: TLSSocket): number | null {
  const ends = Date.parse(secure.getPeerCertificate().valid_to ?? '')
  return Number.isNaN(ends) ? null : (ends - Date.now()) / 86_400_000
}

async function openSocket(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: address, port })
  await untilEvent(socket, 'connect', signal)
  return socket
}

/** After this, socket errors belong to the user of the socket. An abandoned socket has none. */
function untilEvent(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, () => resolve())
  socket.on('error', reject)
  socket.once('close', () => reject(new OutboundError('The connection was closed.')))
  const stop = () => socket.destroy(new OutboundError('The connection timed out.'))
  signal.addEventListener('abort', stop)
  socket.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return promise
}

function describeCertificate(problem: string, host: string): string {
  if (problem.includes('CERT_HAS_EXPIRED')) return `The certificate of ${host} has expired.`
  if (problem.includes('ALTNAME')) return `The certificate is not valid for ${host}.`
  if (/SELF_SIGNED|UNABLE_TO/.test(problem))
    return `The certificate of ${host} is signed by an unknown authority.`
  return `The certificate of ${host} is not valid: ${problem}.`.slice(0, 500)
}
