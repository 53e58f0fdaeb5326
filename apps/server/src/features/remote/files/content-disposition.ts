/** Has a browser save an answer under this name (RFC 6266): one that every browser reads, and the whole one. */
export function describeDisposition(name: string): string {
  const safe = name.replaceAll(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, '_').replaceAll(/^\.+/g, '_') || 'file'
  const plain = safe.replaceAll(/[^\x20-\x7e]|%/g, '_')
  const whole = encodeURIComponent(safe.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
