import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ApiError, callEndpoint } from '@muster/contract/client'
import type { Endpoint, Input, Output } from '@muster/contract/endpoint'
import { z } from 'zod'
import { CliError, isPassing } from './errors.ts'
import type { Profile } from './profiles.ts'

/** The API with a key. Refusals and invalid responses are `ApiError`. */
export interface Client {
  server: string
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>>
  /** Ctrl+C does not stop it. */
  callToEnd<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>>
  /** For reads that repeat: goes on after failures of the network for up to a minute. */
  callPatiently<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>>
  /** One page of a paged endpoint. */
  callPage<E extends Endpoint>(
    endpoint: E,
    input: Input<E> & { query: { page: number } },
  ): Promise<{ total: number; results: Output<E> }>
}

const MAX_RESPONSE_BYTES = 512 * 1024 * 1024
const PATIENCE_MS = 60_000
const PAUSE_MS = 2000

export function openClient({ server, key, ca }: Profile, signal: AbortSignal): Client {
  if (ca !== undefined) trustAuthority(ca)
  async function send(
    endpoint: Endpoint,
    input: object,
    schema: z.ZodType,
    stop?: AbortSignal,
  ): Promise<unknown> {
    const answer: unknown = await callEndpoint(endpoint, input, {
      baseUrl: server,
      headers: () => ({ 'x-api-key': key }),
      fetch: fetchFromServer,
      signal: stop,
    })
    // The object itself is returned: a newer server may send more fields.
    if (schema.safeParse(answer).success) return answer
    const text = 'The server sent an invalid response. Use the program of the same version as the server.'
    throw new ApiError(text, { status: 200, code: 'unreadable' })
  }
  const client: Client = {
    server,
    // send() has compared the response with the schema of the endpoint; the type of the schema is lost there.
    call: async (endpoint, input) =>
      (await send(endpoint, input, endpoint.response, signal)) as Output<typeof endpoint>,
    callToEnd: async (endpoint, input) =>
      (await send(endpoint, input, endpoint.response)) as Output<typeof endpoint>,
    callPatiently: async (endpoint, input) => {
      for (let failedMs: number | undefined; ;) {
        try {
          return await client.call(endpoint, input)
        } catch (error) {
          failedMs ??= Date.now()
          if (!isPassing(error) || Date.now() - failedMs > PATIENCE_MS) throw error
          await sleep((error.retryAfterSeconds ?? 0) * 1000 || PAUSE_MS, undefined, { signal })
        }
      }
    },
    callPage: async (endpoint, input) => {
      const page = z.object({ total: z.int(), results: endpoint.response })
      return (await send(endpoint, input, page, signal)) as {
        total: number
        results: Output<typeof endpoint>
      }
    },
  }
  return client
}

/** Certificates of this authority are accepted beside those that Node accepts. */
function trustAuthority(file: string): void {
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(file, 'utf8')])
  } catch {
    throw new CliError(`${file} is not a readable PEM file with certificates.`)
  }
}

/** Without redirects, which would take the key to another server, and with a limit of bytes. */
const fetchFromServer: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const target = response.headers.get('location')
  if (response.status >= 300 && response.status < 400)
    throw new Error(`it redirects to ${target ?? 'another address'}. Sign in with that address`)
  if (response.body === null) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > MAX_RESPONSE_BYTES) controller.error(new Error('its response is too large'))
      else controller.enqueue(chunk)
    },
  })
  const { status, headers, statusText: text } = response
  // Response refuses what HTTP may carry.
  const statusText = /^[\u0020-\u007E]*$/.test(text) ? text : ''
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}
