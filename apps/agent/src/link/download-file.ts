import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import { serverAddress } from './address.ts'
import { requestOptions, type Server } from './server-trust.ts'

const STALL_MS = 30_000
/** Without a byte in between. Their waits are half a minute together, in which a server restarts. */
const MAX_RESUMES = 5
/** Doubled each time. */
const FIRST_WAIT_MS = 1000

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

/**
 * Downloads a file, and reads no byte more than announced. A connection that breaks off is continued where it did. Throws
 * AgentError if the size or the hash is another one.
 */
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
  using travelling = await TravellingFile.open(download).catch((cause: unknown) => interrupted(what, cause))
  const hash = createHash('sha256')
  const chunks = travelling.unpack()[Symbol.asyncIterator]()
  let received = 0
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

/** A file as it travels, which may be packed, over as many connections as it needs. */
class TravellingFile implements Disposable {
  #download: Download
  #response: IncomingMessage
  #isPacked: boolean
  /** Names this content. Without it, the rest of another one could follow. */
  #tag: string | undefined
  #offset = 0
  #resumes = 0
  #isOver = false

  constructor(download: Download, response: IncomingMessage) {
    this.#download = download
    this.#response = response
    this.#isPacked = response.headers['content-encoding'] === 'gzip'
    const { etag } = response.headers
    this.#tag = etag?.startsWith('"') === true ? etag : undefined
  }

  static async open(download: Download): Promise<TravellingFile> {
    return new TravellingFile(download, await get(download, {}))
  }

  unpack(): AsyncIterable<unknown> {
    if (!this.#isPacked) return this.#read()
    const { Readable } = process.getBuiltinModule('node:stream')
    const { createGunzip } = process.getBuiltinModule('node:zlib')
    const packed = Readable.from(this.#read())
    const unpacked = packed.pipe(createGunzip())
    packed.on('error', (error) => unpacked.destroy(error))
    return unpacked
  }

  async *#read(): AsyncGenerator<Buffer> {
    for (;;) {
      try {
        for await (const chunk of this.#response) {
          // As above.
          const bytes = chunk as Buffer
          this.#offset += bytes.byteLength
          this.#resumes = 0
          yield bytes
        }
        return
      } catch (cause) {
        await this.#resume(cause)
      }
    }
  }

  /** Requests the rest. Throws if it does not come. */
  async #resume(cause: unknown): Promise<void> {
    const { what, signal } = this.#download
    let reason = cause
    while (this.#tag !== undefined && this.#resumes < MAX_RESUMES && !this.#isOver) {
      await sleep(FIRST_WAIT_MS * 2 ** this.#resumes, undefined, { signal })
      this.#resumes += 1
      const rest = { range: `bytes=${this.#offset}-`, 'if-range': this.#tag }
      const response = await get(this.#download, rest).catch((failure: unknown) => {
        if (failure instanceof AgentError && !(failure instanceof InterruptedDownload)) throw failure
        reason = failure
      })
      if (response === undefined) continue
      const { statusCode, headers } = response
      if (statusCode === 206 && headers['content-range']?.startsWith(`bytes ${this.#offset}-`) === true) {
        this.#response = response
        return
      }
      response.destroy()
      throw new InterruptedDownload(
        `The download of ${what} broke off, and the server does not continue it. Try again.`,
        { cause },
      )
    }
    interrupted(what, reason)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#response.destroy()
  }
}

/** Without `fetch`, which would stay in the memory of the agent. */
async function get(
  { path, token, server, signal }: Download,
  rest: Record<string, string>,
): Promise<IncomingMessage> {
  const url = serverAddress(server.server_url, path)
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(
      url,
      {
        headers: {
          'accept-encoding': 'gzip',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...rest,
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
  const { statusCode = 0 } = response
  if (statusCode === 200 || statusCode === 206) return response
  response.destroy()
  const Failure = statusCode >= 500 || statusCode === 429 ? InterruptedDownload : AgentError
  throw new Failure(`The server returned status ${statusCode} for ${url.pathname}.`)
}
