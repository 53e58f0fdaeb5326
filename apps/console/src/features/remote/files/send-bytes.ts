import { MOST_UPLOAD_BYTES, UPLOAD_BYTES_PATH, UploadBytesAnswer } from '@muster/contract/api/files'
import { ApiError, readError } from '@muster/contract/client'
import { requestHeaders } from '../../../app/api/api.ts'

const LEAST_BYTES = 256 * 1024
const WANTED_MS = 2000

/** As many bytes as take about two seconds on this line, so that a lost one costs little. */
export function nextPieceBytes(before: number, tookMs: number): number {
  const wanted = before * Math.min(4, WANTED_MS / Math.max(1, tookMs))
  return Math.round(Math.min(MOST_UPLOAD_BYTES, Math.max(LEAST_BYTES, wanted)))
}

/** Puts bytes behind those that the machine has; answers how many it has then, or throws `ApiError`. */
export async function sendBytes(
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
    return UploadBytesAnswer.parse(JSON.parse(text)).size
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('The server cannot be reached.', { status: 0, code: 'network', cause })
  }
}
