/** Why somebody out there could not be reached, as a sentence. */
export class OutboundError extends Error {
  override name = 'OutboundError'
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was cut.',
  EPIPE: 'The connection was cut.',
  EHOSTUNREACH: 'There is no way to this host.',
  ENETUNREACH: 'There is no way to this network.',
  ETIMEDOUT: 'The host did not answer.',
  ECONNABORTED: 'The connection was cut.',
}

/** What went wrong, for a person. */
export function describeOutbound(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  if (!(error instanceof Error)) return String(error).slice(0, 500)
  const code = 'code' in error ? String(error.code) : ''
  return (WORDS[code] ?? `It failed: ${error.message}`).slice(0, 500)
}
