import { randomBytes } from 'node:crypto'
import { ErrorBody } from '@muster/contract/error-body'
import {
  beginUpload,
  dropUpload,
  finishUpload,
  lookAtUpload,
  startDownload,
  UPLOAD_BYTES_PATH,
  UploadBytesResponse,
} from '@muster/contract/api/files'
import type { FaultSetup } from './fault-setup.ts'

export const raw = (path: string | Buffer) => Buffer.from(path).toString('base64url')

/** A file on its way to a machine, as a browser sends it. */
export async function startUpload(
  { session, params }: Pick<FaultSetup, 'session' | 'params'>,
  { path, bytes }: { path: string; bytes: Buffer },
) {
  const at = { path: raw(path) }
  const { upload } = await session.call(beginUpload, { params, body: { ...at, size: bytes.length } })
  const own = { ...params, upload }
  const address = UPLOAD_BYTES_PATH.replace(':agent_id', params.agent_id).replace(':upload', upload)
  return {
    /** Sends what is behind this place; answers how much is there then, or the sentence that is shown. */
    async send(
      offset: number,
      body: RequestInit['body'] = new Uint8Array(bytes.subarray(offset)),
      signal?: AbortSignal,
    ) {
      const query = new URLSearchParams({ ...at, offset: `${offset}` }).toString()
      const response = await fetch(`${session.url}${address}?${query}`, {
        method: 'PUT',
        headers: { ...session.headers(), 'content-type': 'application/octet-stream' },
        body,
        ...(signal === undefined ? {} : { signal }),
        // Required for a streamed body, and missing in the types.
        ...({ duplex: 'half' } as object),
      })
      const answer: unknown = await response.json()
      return response.ok ? UploadBytesResponse.parse(answer).size : ErrorBody.parse(answer).detail
    },
    size: async () => (await session.call(lookAtUpload, { params: own, query: at })).size,
    finish: () =>
      session.call(finishUpload, { params: own, body: { ...at, size: bytes.length, hash: null } }),
    drop: () => session.call(dropUpload, { params: own, query: at }),
  }
}

/** A body that sends its first bytes and then nothing, until it is ended. */
export function stalledBody(first: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(first)) })
}

/** A file, or a folder as an archive, on its way to a browser. */
export async function startToDownload(
  { session, params }: Pick<FaultSetup, 'session' | 'params'>,
  { path, archive = false }: { path: string | Buffer; archive?: boolean },
) {
  const { url } = await session.call(startDownload, { params, body: { path: raw(path), archive } })
  return {
    get: (headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(session.url + url, {
        headers: { ...session.headers(), ...headers },
        ...(signal === undefined ? {} : { signal }),
      }),
  }
}

/** Reads the first bytes; `rest` reads until the end or a failure. */
export async function readFirst(response: Response) {
  if (response.body === null) throw new Error('there is no answer')
  const reader = response.body.getReader()
  const pieces: Uint8Array[] = []
  const first = await reader.read()
  if (first.value !== undefined) pieces.push(first.value)
  return {
    /** All bytes that came, and whether that was all. */
    async rest() {
      try {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return { bytes: Buffer.concat(pieces), isWhole: true }
          pieces.push(value)
        }
      } catch {
        return { bytes: Buffer.concat(pieces), isWhole: false }
      }
    },
    leave: () => reader.cancel(),
  }
}

export const someBytes = (megabytes: number) => randomBytes(megabytes * 1_000_000)
