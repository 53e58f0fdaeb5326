import { HASH_PART_BYTES } from '@muster/contract/agent/files'

const READ_PARTS = 8

/** The hash of an upload; null where the browser has none, which is so on pages without TLS. */
export async function hashFile(file: Blob, signal: AbortSignal): Promise<string | null> {
  // Of secure pages only, whatever the type says.
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
