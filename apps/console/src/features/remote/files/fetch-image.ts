import { startDownload } from '@muster/contract/api/files'
import { ApiError, readError } from '@muster/contract/client'
import { call } from '../../../app/api/api.ts'
import { requestHeaders } from '../../../app/api/request-headers.ts'
import { imageTypeOf, MAX_IMAGE_BYTES } from './file-rows.ts'

/** A picture of a machine, as bytes that browsers can only draw. Throws ApiError. */
export async function fetchImage(
  { agentId, path }: { agentId: string; path: string },
  signal: AbortSignal,
): Promise<Blob> {
  const { url } = await call(startDownload, {
    params: { agent_id: agentId },
    body: { path, archive: false },
  })
  const bytes = await fetchBytes(url, signal)
  const type = imageTypeOf(bytes)
  if (type === undefined) throw refusal('Not a picture. Download the file instead.')
  return new Blob([bytes], { type })
}

async function fetchBytes(url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url, { credentials: 'include', headers: requestHeaders(), signal })
    if (!response.ok) throw readError(response, await response.text())
    if (Number(response.headers.get('content-length') ?? 0) > MAX_IMAGE_BYTES)
      throw refusal('Picture too large to show. Download the file instead.')
    return new Uint8Array(await response.arrayBuffer())
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('Connection lost while loading the picture.', {
      status: 0,
      code: 'network',
      cause,
    })
  }
}

function refusal(message: string): ApiError {
  return new ApiError(message, { status: 400, code: 'invalid' })
}
