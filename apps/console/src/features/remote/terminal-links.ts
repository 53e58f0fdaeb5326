import type { ILink, Terminal } from '@xterm/xterm'

const ADDRESS = /https?:\/\/[^\s"'<>`{}|\\^\p{C}]+/giu
const AFTER_ADDRESS = /[.,;:!?)\]]+$/
const MAX_LINE_LENGTH = 4000

/**
 * Opens addresses shown in a terminal, http and https only. The user sees the real address first, and the opened page
 * gets no reference to this one.
 */
export function bindLinks(terminal: Terminal): void {
  terminal.options.linkHandler = { activate: (_, address) => openAddress(address) }
  terminal.registerLinkProvider({
    provideLinks: (y, callback) => callback(findLinks(terminal, y - 1)),
  })
}

/** The address to open; undefined = not allowed. */
export function cleanAddress(text: string): string | undefined {
  if (text.length > 2000 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
}

function openAddress(text: string): void {
  const address = cleanAddress(text)
  if (address === undefined) return
  // The part before @ is no host, and lookalike letters are written out.
  const { host } = new URL(address)
  if (window.confirm(`Open a page of ${host}?\n\n${address}`))
    window.open(address, '_blank', 'noopener,noreferrer')
}

function findLinks(terminal: Terminal, row: number): ILink[] | undefined {
  const { active } = terminal.buffer
  let first = row
  while (first > 0 && active.getLine(first)?.isWrapped === true) first -= 1
  let text = ''
  for (let at = first; text.length < MAX_LINE_LENGTH; at += 1) {
    const line = active.getLine(at)
    if (line === undefined || (at > first && !line.isWrapped)) break
    text += line.translateToString(false)
  }
  const { cols } = terminal
  const place = (index: number) => ({ x: (index % cols) + 1, y: first + Math.floor(index / cols) + 1 })
  const links = [...text.matchAll(ADDRESS)].flatMap(({ 0: found, index }) => {
    const shown = found.replace(AFTER_ADDRESS, '')
    if (cleanAddress(shown) === undefined) return []
    const range = { start: place(index), end: place(index + shown.length - 1) }
    return [{ text: shown, range, activate: (_: MouseEvent, address: string) => openAddress(address) }]
  })
  return links.length === 0 ? undefined : links
}
