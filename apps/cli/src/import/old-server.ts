import { CliError, describeError } from '../errors.ts'

/** A server whose data moves. It is only read. */
export interface OldServer {
  /** The JSON at a path such as `/clients/`. Throws `OldServerError`. */
  read(path: string): Promise<unknown>
}

/** Names the endpoint. */
export class OldServerError extends CliError {
  override name = 'OldServerError'
  /** 0 = no response that could be read. */
  status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

interface Address {
  url: string
  key: string
  signal: AbortSignal
}

const TIMEOUT_MS = 120_000
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024
const USE_API = 'Use the address of its API, such as https://api.example.org.'

/** Calls with the header `X-API-KEY`. Redirects are not followed: they would take the key to another server. */
export function openOldServer(address: Address): OldServer {
  return {
    read: async (path) => {
      const refuse = (reason: string, status = 0): never => {
        throw new OldServerError(`GET ${path} of ${address.url}: ${reason}`, status)
      }
      const { response, text } = await fetchText(address, path).catch((error: unknown) => {
        if (address.signal.aborted) throw error
        return refuse(describeFailure(error))
      })
      const { status } = response
      if (status >= 300 && status < 400)
        return refuse(`It redirects to ${response.headers.get('location') ?? 'another address'}. ${USE_API}`)
      if (status === 401 || status === 403)
        return refuse(`The API key is wrong or expired, or its user may not read this (${status}).`, status)
      if (status === 404) return refuse(`Nothing is at this address (404). ${USE_API}`, status)
      if (!response.ok) return refuse(`It responds with the error ${status}.`, status)
      try {
        return JSON.parse(text) as unknown
      } catch {
        return refuse(`The response is no JSON. ${USE_API}`)
      }
    },
  }
}

async function fetchText(
  { url, key, signal }: Address,
  path: string,
): Promise<{ response: Response; text: string }> {
  const response = await fetch(url + path, {
    headers: { 'x-api-key': key, accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('Its response is too large.')
    text += decoder.decode(chunk, { stream: true })
  }
  return { response, text: text + decoder.decode() }
}

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `It did not respond within ${TIMEOUT_MS / 1000} seconds.`
  return describeError(error)
}
