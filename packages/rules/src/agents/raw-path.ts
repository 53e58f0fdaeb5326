/**
 * Paths as base64url bytes, because file names need not be valid text. A path starts with `/`, which also separates
 * its names, or with a drive of Windows, `C:\`, and then `\` separates them. On Windows, `/` alone is the list of drives.
 */
const SLASH = 0x2f
const BACKSLASH = 0x5c

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

/** Whether a text is a full path of Windows. */
export function isWindowsPath(text: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(text)
}

/** The path of a name in a folder. */
export function joinRaw(folder: string, name: string): string {
  const at = bytesOfRaw(folder)
  const separator = separatorOf(at)
  return rawOfBytes(
    Uint8Array.from([...at, ...(at.at(-1) === separator ? [] : [separator]), ...bytesOfRaw(name)]),
  )
}

/** Every parent folder of a path and the path itself, from the root on, each with its name. */
export function stepsOfRaw(path: string): { path: string; name: string }[] {
  const bytes = bytesOfRaw(path)
  const separator = separatorOf(bytes)
  const ends = [...bytes.keys(), bytes.length].filter(
    (at) =>
      at > 0 &&
      (bytes[at] === separator || at === bytes.length) &&
      ![SLASH, separator].includes(bytes[at - 1] ?? 0),
  )
  let from = separator === SLASH ? 1 : 0
  const steps = ends.map((end) => {
    const name = showBytes(bytes.subarray(from, end))
    from = end + 1
    // A drive is followed by a backslash: `C:` alone is another folder.
    const upTo = name.endsWith(':') && separator === BACKSLASH ? end + 1 : end
    return { path: rawOfBytes(bytes.subarray(0, upTo)), name }
  })
  return [{ path: rawOfBytes(Uint8Array.of(SLASH)), name: '/' }, ...steps]
}

const separatorOf = (bytes: Uint8Array): number => (bytes[0] === SLASH ? SLASH : BACKSLASH)
