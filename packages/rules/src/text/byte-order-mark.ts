/**
 * Removes the byte order mark that editors of Windows write at the beginning of a file. Interpreters take it for a part of
 * the first word, so that neither a `#!` line nor a first command works.
 */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF+/, '')
}
