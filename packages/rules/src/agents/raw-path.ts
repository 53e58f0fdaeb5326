/**
 * Paths as base64url bytes, because file names need not be valid text. Names are separated by `/`, and a path starts
 * with one.
 */
const SLASH = 0x2f

export function bytesOfRaw(raw: string): Uint8Array<ArrayBuffer> {
  const text = atob(raw.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (char) => char.codePointAt(0) ?? 0)
}

export function rawOfBytes(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function rawOfText(text: string): string {
  return rawOfBytes(new TextEncoder().encode(text))
}

/** Display text: invalid UTF-8 and control characters are replaced. */
export function showBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD')
}

export function showRaw(raw: string): string {
  return showBytes(bytesOfRaw(raw))
}

/** The path of a name in a folder. */
export function joinRaw(folder: string, name: string): string {
  const at = bytesOfRaw(folder)
  const isRoot = at.length === 1
  return rawOfBytes(Uint8Array.from([...at, ...(isRoot ? [] : [SLASH]), ...bytesOfRaw(name)]))
}

/** Every parent folder of a path and the path itself, from the root on, each with its name. */
export function stepsOfRaw(path: string): { path: string; name: string }[] {
  const bytes = bytesOfRaw(path)
  const ends = [...bytes.keys(), bytes.length].filter(
    (at) => at > 0 && (bytes[at] === SLASH || at === bytes.length) && bytes[at - 1] !== SLASH,
  )
  let from = 1
  const steps = ends.map((end) => {
    const name = showBytes(bytes.subarray(from, end))
    from = end + 1
    return { path: rawOfBytes(bytes.subarray(0, end)), name }
  })
  return [{ path: rawOfBytes(Uint8Array.of(SLASH)), name: '/' }, ...steps]
}
