import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'

const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * One POST without `fetch`, which would stay in the memory of the agent. Importing node:http loads it too, because
 * `fetch`'s WebSocket is one of its exports.
 */
export async function postJson(
  url: URL,
  body: unknown,
  options: RequestOptions,
): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body)
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  }
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, { ...options, method: 'POST', headers }, resolve)
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('it did not respond in time')))
    request.end(text)
  })
  return { status: response.statusCode ?? 0, text: await readAll(response) }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    // A response without an encoding yields buffers.
    const bytes = part as Buffer
    size += bytes.byteLength
    if (size > MAX_RESPONSE_BYTES) throw new Error('its response is too long')
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}
