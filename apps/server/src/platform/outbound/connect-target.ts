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
  /** Named where the address is refused. */
  setting?: TargetsSetting
}

/** A connection to an address that was looked at before: see resolveTarget. */
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

/** The same with TLS on it. Nothing is sent to a server whose certificate is not good, unless that is meant. */
export async function connectSecurely(target: Target & { ignoreCertificate: boolean }): Promise<TLSSocket> {
  const { host, signal, ignoreCertificate } = target
  const socket = await connectTarget(target)
  const secure = connectTls({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ALPNProtocols: ['http/1.1'],
    // Looked at below: also of a bad certificate it is worth knowing until when it is good.
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

/** Days until the certificate of the other side ends. */
export function daysLeft(secure: TLSSocket): number | null {
  const ends = Date.parse(secure.getPeerCertificate().valid_to ?? '')
  return Number.isNaN(ends) ? null : (ends - Date.now()) / 86_400_000
}

async function openSocket(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: address, port })
  await untilEvent(socket, 'connect', signal)
  return socket
}

/** From here on errors of the socket are those of whoever uses it; one that nobody uses any more has none. */
function untilEvent(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, () => resolve())
  socket.on('error', reject)
  socket.once('close', () => reject(new OutboundError('The connection was cut.')))
  const stop = () => socket.destroy(new OutboundError('This took too long.'))
  signal.addEventListener('abort', stop)
  socket.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return promise
}

function describeCertificate(problem: string, host: string): string {
  if (problem.includes('CERT_HAS_EXPIRED')) return `The certificate of ${host} has ended.`
  if (problem.includes('ALTNAME')) return `The certificate is not made out to ${host}.`
  if (/SELF_SIGNED|UNABLE_TO/.test(problem)) return `Nobody known here has signed the certificate of ${host}.`
  return `The certificate of ${host} is not good: ${problem}.`.slice(0, 500)
}
