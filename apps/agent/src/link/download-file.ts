import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { AgentError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import { serverAddress } from './address.ts'
import { requestOptions, type Server } from './server-trust.ts'

const STALL_MS = 30_000

export interface Download {
  /** On the server that the agent is enrolled with. */
  path: string
  token?: string
  bytes: number
  /** Hex. */
  sha256: string
  /** The content, in errors: `version 1.2.0`. */
  what: string
  server: Server
  signal: AbortSignal
}

/** The content did not arrive, and may on another try. */
export class InterruptedDownload extends AgentError {}

/** Downloads a file, and reads no byte more than announced. Throws AgentError if its size or hash is another one. */
export async function downloadFile(file: string, download: Download): Promise<void> {
  const handle = openSync(file, 'w', 0o644)
  try {
    await receiveFile((chunk) => void writeSync(handle, chunk), download)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** As downloadFile, with the content in chunks. */
export async function receiveFile(
  write: (chunk: Buffer) => void | Promise<void>,
  download: Download,
): Promise<void> {
  const { bytes, sha256, what } = download
  const response = await get(download).catch((cause: unknown) => interrupted(what, cause))
  const { createGunzip } = process.getBuiltinModule('node:zlib')
  const isPacked = response.headers['content-encoding'] === 'gzip'
  const content = isPacked ? response.pipe(createGunzip()) : response
  response.on('error', (error) => content.destroy(error))
  response.on('aborted', () => content.destroy(new Error('the connection was lost')))
  const hash = createHash('sha256')
  const chunks = content[Symbol.asyncIterator]()
  let received = 0
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => interrupted(what, cause))
      if (next.done === true) break
      // Streams of bytes without an encoding yield buffers.
      const chunk = next.value as Buffer
      received += chunk.byteLength
      if (received > bytes) throw new AgentError(`The download of ${what} is longer than announced.`)
      hash.update(chunk)
      await write(chunk)
    }
  } finally {
    response.destroy()
  }
  if (received < bytes)
    throw new InterruptedDownload(
      `The download of ${what} ended after ${received} of ${bytes} bytes. Try again.`,
    )
  if (hash.digest('hex') !== sha256)
    throw new AgentError(`The download of ${what} does not have the announced hash.`)
}

function interrupted(what: string, cause: unknown): never {
  if (cause instanceof AgentError) throw cause
  throw new InterruptedDownload(`The download of ${what} was interrupted: ${describeError(cause)}.`, {
    cause,
  })
}

/** Without `fetch`, which would stay in the memory of the agent. */
async function get({ path, token, server, signal }: Download): Promise<IncomingMessage> {
  const url = serverAddress(server.server_url, path)
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(
      url,
      {
        headers: {
          'accept-encoding': 'gzip',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...requestOptions(server, STALL_MS),
        signal,
      },
      resolve,
    )
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('the server did not respond in time')))
    request.end()
  })
  if (response.statusCode === 200) return response
  response.destroy()
  const Failure = (response.statusCode ?? 0) >= 500 ? InterruptedDownload : AgentError
  throw new Failure(`The server returned status ${response.statusCode} for ${url.pathname}.`)
}
