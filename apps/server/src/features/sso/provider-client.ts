import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as oidc from 'openid-client'
import type { OutboundTargets } from '../../platform/config/config.ts'
import { connectReceiver, describeConnectError } from '../alerts/channels/senders/web-request.ts'

/** A provider, and this server as its client. */
export interface ClientOfProvider {
  issuer: string
  client_id: string
  /** Undefined = a client without one. */
  secret: string | undefined
}

const LIMIT_MS = 8000
const MAX_ANSWER_BYTES = 500_000
/** Clocks of provider and server may differ by this much. */
const TOLERANCE_SECONDS = 60

/** A provider that could not be reached. The message is a sentence for administrators. */
export class ProviderDown extends Error {
  override name = 'ProviderDown'
}

/** Reads the provider's description. Throws for one that is down, answers something else, or names another issuer. */
export async function openProvider(
  { issuer, client_id, secret }: ClientOfProvider,
  targets: OutboundTargets,
): Promise<oidc.Configuration> {
  const address = new URL(issuer)
  return oidc.discovery(
    address,
    client_id,
    { [oidc.clockTolerance]: TOLERANCE_SECONDS },
    secret === undefined ? oidc.None() : authenticateBy(secret),
    {
      [oidc.customFetch]: (url, options) => fetchProvider(url, options, targets),
      execute: [
        oidc.enableNonRepudiationChecks,
        // The contract accepts http:// for loopback addresses only.
        ...(address.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  )
}

/** Basic is what providers have to support; some offer the form parameter only. */
function authenticateBy(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    const authenticate = isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret)
    authenticate(server, client, body, headers)
  }
}

/**
 * Fetches within MUSTER_CHANNEL_TARGETS, on its own connection, within 8 seconds. The description of a provider names
 * further addresses, so each of them is checked.
 */
async function fetchProvider(
  url: string,
  { method, headers, body }: oidc.CustomFetchOptions,
  targets: OutboundTargets,
): Promise<Response> {
  const address = new URL(url)
  const isSecure = address.protocol === 'https:'
  const port = address.port === '' ? (isSecure ? 443 : 80) : Number(address.port)
  const signal = AbortSignal.timeout(LIMIT_MS)
  try {
    const { socket } = await connectReceiver({ host: address.hostname, port }, { targets, signal })
    const host = address.hostname.replace(/^\[|\]$/g, '')
    const name = isIP(host) === 0 ? { servername: host } : { host }
    const connection = isSecure ? connectTls({ socket, ...name, ALPNProtocols: ['http/1.1'] }) : socket
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = (isSecure ? httpsRequest : httpRequest)(address, {
      method,
      headers: { 'user-agent': 'Muster', ...headers },
      createConnection: () => connection,
      signal,
    })
    request.once('response', resolve)
    request.on('error', reject)
    request.end(body === null || body === undefined ? undefined : textOf(body))
    const response = await promise
    const bytes = await readAnswer(response)
    request.destroy()
    return new Response(hasBody(response.statusCode) ? bytes : null, {
      status: response.statusCode ?? 500,
      headers: Object.entries(response.headers).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)] satisfies [string, string]],
      ),
    })
  } catch (cause) {
    if (cause instanceof ProviderDown) throw cause
    throw new ProviderDown(describeConnectError(cause, address.host, signal), { cause })
  }
}

/** The library sends forms and nothing. */
function textOf(body: NonNullable<oidc.FetchBody>): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  throw new Error('the body of a request to a provider is not a form')
}

const hasBody = (status = 500) => ![204, 205, 304].includes(status)

async function readAnswer(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    // A stream without an encoding yields buffers.
    const bytes = part as Buffer
    size += bytes.length
    if (size > MAX_ANSWER_BYTES) throw new ProviderDown('The provider sent more than 500 kB.')
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

const MAX_REASON_LENGTH = 300

/** Describes a failure for administrators. */
export function describeProviderError(error: unknown): string {
  if (error instanceof ProviderDown) return error.message
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    const { error: code, error_description: description } = error
    return cut(description === undefined ? code : `${code}: ${description}`)
  }
  if (!(error instanceof Error)) return cut(String(error))
  if (error.cause instanceof Error && error.cause instanceof ProviderDown) return error.cause.message
  const detail = error.cause instanceof Error ? error.cause.message : undefined
  return cut(detail === undefined ? error.message : `${error.message}: ${detail}`)
}

/** Whether the provider, and not its answer, is the problem. */
export function isProviderDown(error: unknown): boolean {
  return error instanceof ProviderDown || (error instanceof Error && error.cause instanceof ProviderDown)
}

const cut = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH)
