import { getSystemErrorName } from 'node:util'

/** Describes why a server was not reached. The caller provides its name. */
export function describeNetworkError(error: unknown, host: string): string {
  if (!(error instanceof Error)) return `${host} could not be reached: ${String(error)}`
  if (error.name === 'TimeoutError') return `${host} did not respond in time.`
  const code = codeOf(error)
  const words = WORDS[code]
  if (words !== undefined) return `${host} ${words} (${code})`
  if (/self.signed/i.test(error.message)) return `${host} has a self-signed certificate (${code})`
  if (/^(CERT|ERR_TLS|UNABLE_TO)/.test(code))
    return `${host} has an untrusted certificate: ${error.message} (${code})`
  if (/wrong version number|packet length too long/i.test(error.message))
    return `${host} does not speak TLS on this port.`
  // Node wraps the errors of several addresses of a host in one without a message.
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause
  if (error.message === '' && inner !== undefined) return describeNetworkError(inner, host)
  return `${host} could not be reached: ${error.message}${code === '' ? '' : ` (${code})`}`
}

/** Nodemailer replaces the system's code by its own, but keeps the errno. */
function codeOf(error: Error): string {
  if ('errno' in error && typeof error.errno === 'number' && error.errno < 0)
    return getSystemErrorName(error.errno)
  return 'code' in error ? String(error.code) : ''
}

const WORDS: Record<string, string> = {
  ENOTFOUND: 'is unknown to the DNS',
  EAI_NONAME: 'is unknown to the DNS',
  EDNS: 'could not be resolved by the DNS',
  EAI_AGAIN: 'could not be resolved: the DNS does not respond',
  ECONNREFUSED: 'refused the connection: nothing listens there',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  EHOSTUNREACH: 'is unreachable',
  ENETUNREACH: 'is unreachable: there is no route',
  ETIMEDOUT: 'did not respond in time',
  CERT_HAS_EXPIRED: 'has an expired certificate',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an untrusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an untrusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an untrusted authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}
