import {
  beginUpload,
  dropUpload,
  finishUpload,
  lookAtUpload,
  MAX_UPLOAD_BYTES,
  startDownload as askForAddress,
  UPLOAD_BYTES_PATH,
  UploadBytesResponse,
} from '@muster/contract/api/files'
import { ApiError, readError } from '@muster/contract/client'
import { type FileEntry, HASH_PART_BYTES } from '@muster/contract/agent/files'
import { joinRaw } from '@muster/rules/agents/raw-path'
import { call } from '../../../app/api/api.ts'
import { requestHeaders } from '../../../app/api/request-headers.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { createStore } from '../../../app/session/store.ts'
import { leadsTo } from './file-rows.ts'

const MIN_BYTES = 256 * 1024
const WANTED_MS = 2000

/** About two seconds of data on this connection, so that a lost piece costs little. */
function nextPieceBytes(before: number, tookMs: number): number {
  const wanted = before * Math.min(4, WANTED_MS / Math.max(1, tookMs))
  return Math.round(Math.min(MAX_UPLOAD_BYTES, Math.max(MIN_BYTES, wanted)))
}

/** Appends bytes on the machine; returns how many it has then, or throws `ApiError`. */
async function sendBytes(
  place: { agentId: string; upload: string; path: string; offset: number },
  bytes: Blob,
  signal: AbortSignal,
): Promise<number> {
  const { agentId, upload, path, offset } = place
  const address = UPLOAD_BYTES_PATH.replace(':agent_id', agentId).replace(':upload', upload)
  const query = new URLSearchParams({ path, offset: String(offset) })
  let response: Response
  try {
    response = await fetch(`${address}?${query}`, {
      method: 'PUT',
      credentials: 'include',
      headers: {
        accept: 'application/json',
        'content-type': 'application/octet-stream',
        ...requestHeaders(),
      },
      body: bytes,
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw readError(response, text)
    return UploadBytesResponse.parse(JSON.parse(text)).size
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('The server cannot be reached.', { status: 0, code: 'network', cause })
  }
}

const READ_PARTS = 8

/** The hash of an upload; null where the browser has none, which is so on pages without TLS. */
async function hashFile(file: Blob, signal: AbortSignal): Promise<string | null> {
  // On secure pages only, whatever the type says.
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (subtle === undefined) return null
  const digests: ArrayBuffer[] = []
  for (let from = 0; from < file.size; from += READ_PARTS * HASH_PART_BYTES) {
    signal.throwIfAborted()
    const bytes = await file.slice(from, from + READ_PARTS * HASH_PART_BYTES).arrayBuffer()
    for (let at = 0; at < bytes.byteLength; at += HASH_PART_BYTES)
      digests.push(await subtle.digest('SHA-256', bytes.slice(at, at + HASH_PART_BYTES)))
  }
  const whole = new Uint8Array(await subtle.digest('SHA-256', await new Blob(digests).arrayBuffer()))
  return Array.from(whole, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const FIRST_PIECE_BYTES = 1024 * 1024
const RETRY_MS = 2000
/** Longer outages pause the upload until the user resumes it. */
const RETRIES = 60
const FINISH_TIMEOUT_MS = 30 * 60_000
const PASSING = new Set<ApiError['code']>([
  'network',
  'timeout',
  'unavailable',
  'agent_offline',
  'too_many_requests',
])

export interface UploadView {
  state: 'running' | 'waiting' | 'paused' | 'checking' | 'done' | 'cancelled'
  sent: number
  /** Why it waits or has stopped. */
  problem: string | undefined
}

interface UploadOptions {
  agentId: string
  /** Target path on the machine. */
  path: string
  file: File
  replace: boolean
  onDone: () => void
}

/** An upload to a machine: in pieces, each appended to what is there, so that it resumes where it stopped. */
export class Upload {
  readonly view = createStore<UploadView>({ state: 'running', sent: 0, problem: undefined })
  readonly options: UploadOptions
  readonly key = crypto.getRandomValues(new Uint32Array(2)).join('-')
  #id: string | undefined
  #hash: Promise<string | null> | undefined
  #stop = new AbortController()
  readonly #dropped = new AbortController()
  /** The last run. The next begins when it has ended, so that an upload is begun once. */
  #run = Promise.resolve()

  constructor(options: UploadOptions) {
    this.options = options
  }

  /** Starts or resumes it. */
  start(): void {
    const { signal } = (this.#stop = new AbortController())
    this.#notify({ state: 'running', problem: undefined })
    this.#run = this.#run.then(() => this.#sendUntil(signal))
  }

  pause(): void {
    this.#stop.abort()
    this.#notify({ state: 'paused', problem: undefined })
  }

  /** Removes the uploaded part. */
  async cancel(): Promise<void> {
    this.#stop.abort()
    this.#dropped.abort()
    this.#notify({ state: 'cancelled', problem: undefined })
    await this.#run
    if (this.#id === undefined) return
    const { agentId: agent_id, path } = this.options
    await call(dropUpload, { params: { agent_id, upload: this.#id }, query: { path } })
  }

  async #sendUntil(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      const before = this.view.get().sent
      try {
        await this.#send(signal)
        return
      } catch (error) {
        if (signal.aborted) return
        const { message } = describeError(error)
        if (this.view.get().sent > before) tries = 0
        const isPassing = error instanceof ApiError && PASSING.has(error.code)
        if (!isPassing || tries >= RETRIES) return this.#notify({ state: 'paused', problem: message })
        this.#notify({ state: 'waiting', problem: message })
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { agentId, path, file, replace } = this.options
    const upload = await this.#begin()
    const params = { agent_id: agentId, upload }
    // Goes on while the upload is paused.
    const hash = (this.#hash ??= hashFile(file, this.#dropped.signal))
    hash.catch(() => (this.#hash = undefined))
    let offset = (await call(lookAtUpload, { params, query: { path } }, { signal })).size
    this.#notify({ state: 'running', sent: offset, problem: undefined })
    for (let size = FIRST_PIECE_BYTES; offset < file.size;) {
      const startedMs = performance.now()
      offset = await sendBytes({ agentId, upload, path, offset }, file.slice(offset, offset + size), signal)
      size = nextPieceBytes(size, performance.now() - startedMs)
      this.#notify({ sent: offset })
    }
    this.#notify({ state: 'checking' })
    const body = { path, size: file.size, replace, hash: await hash }
    await call(finishUpload, { params, body }, { signal, timeoutMs: FINISH_TIMEOUT_MS })
    this.#notify({ state: 'done' })
    this.options.onDone()
  }

  async #begin(): Promise<string> {
    if (this.#id !== undefined) return this.#id
    const { agentId, path, file, replace } = this.options
    const body = { path, size: file.size, replace }
    this.#id = (await call(beginUpload, { params: { agent_id: agentId }, body })).upload
    return this.#id
  }

  #notify(more: Partial<UploadView>): void {
    const now = this.view.get()
    if (now.state !== 'cancelled') this.view.set({ ...now, ...more })
  }
}

/** All uploads of this window, also while another tab of it is open. */
export const uploads = createStore<readonly Upload[]>([])

export function addUpload(options: UploadOptions): void {
  const upload = new Upload(options)
  uploads.set([...uploads.get(), upload])
  upload.start()
}

export function removeUpload(upload: Upload): void {
  uploads.set(uploads.get().filter((other) => other !== upload))
}

/** Streams a file, or a folder as an archive, to disk: nothing is held in memory. */
export async function startDownload(agentId: string, folder: string, entry: FileEntry): Promise<void> {
  const { url } = await call(askForAddress, {
    params: { agent_id: agentId },
    body: { path: joinRaw(folder, entry.raw), archive: leadsTo(entry) === 'folder' },
  })
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  // In the page, or some browsers do nothing.
  document.body.append(link)
  link.click()
  link.remove()
}

/** Why an entry cannot be downloaded. */
export function whyNoDownload(entry: FileEntry): string | undefined {
  const kind = leadsTo(entry)
  if (kind === null) return 'Broken link'
  return kind === 'file' || kind === 'folder' ? undefined : 'Not a regular file'
}
