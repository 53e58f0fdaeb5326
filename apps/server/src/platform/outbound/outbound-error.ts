/** Why a host could not be reached, as a sentence. */
export class OutboundError extends Error {
  override name = 'OutboundError'
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed.',
  EPIPE: 'The connection was closed.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network is unreachable.',
  ETIMEDOUT: 'The host did not respond.',
  ECONNABORTED: 'The connection was closed.',
}

/** Describes a connection error for users. */
export function describeOutbound(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  if (!(error instanceof Error)) return String(error).slice(0, 500)
  const code = 'code' in error ? String(error.code) : ''
  return (WORDS[code] ?? `The request failed: ${error.message}`).slice(0, 500)
}
