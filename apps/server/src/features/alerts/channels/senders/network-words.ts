import { getSystemErrorName } from 'node:util'

/** Why another server was not reached, in words; what it is called comes from the one who was to be reached. */
export function describeNetworkError(error: unknown, host: string): string {
  if (!(error instanceof Error)) return `${host} was not reached: ${String(error)}`
  if (error.name === 'TimeoutError') return `${host} did not answer in time.`
  const code = codeOf(error)
  const words = WORDS[code]
  if (words !== undefined) return `${host} ${words} (${code})`
  if (/self.signed/i.test(error.message)) return `${host} has a certificate that it signed itself (${code})`
  if (/^(CERT|ERR_TLS|UNABLE_TO)/.test(code))
    return `${host} has a certificate that is not trusted: ${error.message} (${code})`
  if (/wrong version number|packet length too long/i.test(error.message))
    return `${host} does not speak TLS on this port.`
  // Node gathers the errors of several addresses of a host in one without a message.
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause
  if (error.message === '' && inner !== undefined) return describeNetworkError(inner, host)
  return `${host} was not reached: ${error.message}${code === '' ? '' : ` (${code})`}`
}

/** Nodemailer puts a code of its own in the place of the system's, whose number stays. */
function codeOf(error: Error): string {
  if ('errno' in error && typeof error.errno === 'number' && error.errno < 0)
    return getSystemErrorName(error.errno)
  return 'code' in error ? String(error.code) : ''
}

const WORDS: Record<string, string> = {
  ENOTFOUND: 'is not known to the DNS',
  EAI_NONAME: 'is not known to the DNS',
  EDNS: 'could not be looked up in the DNS',
  EAI_AGAIN: 'could not be looked up: the DNS does not answer',
  ECONNREFUSED: 'refused the connection: nothing listens there',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here: there is no route',
  ETIMEDOUT: 'did not answer in time',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that it signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}
