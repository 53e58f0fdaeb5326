import type { IncomingMessage } from 'node:http'
import { CliError } from '../cli/cli-error.ts'
import { describeError } from '../log/log.ts'

const TIMEOUT_MS = 20_000
const MAX_ANSWER_BYTES = 1024 * 1024

/**
 * One POST without `fetch`, whose machinery would stay in the memory of an agent. An import of node:http would load
 * that machinery as well, because `fetch`'s WebSocket is one of its exports.
 */
export async function postJson(
  url: URL,
  body: unknown,
  caPem: string | null,
): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body)
  const options = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
    timeout: TIMEOUT_MS,
    agent: false,
    ...(caPem === null ? {} : { ca: caPem }),
  } as const
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, options, resolve)
      request.on('error', reject)
      request.on('timeout', () => request.destroy(new Error('it did not answer in time')))
      request.end(text)
    })
    return { status: response.statusCode ?? 0, text: await readAll(response) }
  } catch (cause) {
    throw new CliError(describeConnectionFailure(url, cause))
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    // A response without an encoding yields buffers.
    const bytes = part as Buffer
    size += bytes.byteLength
    if (size > MAX_ANSWER_BYTES) throw new Error('its answer is far too long')
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}

const CONNECTION_FAILURES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'it broke the connection',
  EPROTO: 'it does not speak TLS',
}
const CERTIFICATE_FAILURES = /CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS|HOSTNAME/

function describeConnectionFailure(url: URL, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const detail = describeError(cause)
  if (CERTIFICATE_FAILURES.test(code)) {
    return `the certificate of ${url.host} is not trusted (${detail}): give the file of its authority with --ca, and check this machine's clock`
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return `${url.host} does not speak TLS: is the address http instead of https?`
  return `the server ${url.host} cannot be reached: ${CONNECTION_FAILURES[code] ?? detail}`
}
