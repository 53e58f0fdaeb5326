import type { Terminal } from '@xterm/xterm'

/**
 * Keys and the clipboard: Ctrl+C copies a selection and goes to the machine otherwise; Ctrl+V and Ctrl+Shift+V are left to
 * the browser, which pastes; Ctrl+Shift+F searches.
 */
export function bindKeys(
  terminal: Terminal,
  element: HTMLElement,
  { onSearch }: { onSearch: (() => void) | undefined },
): void {
  terminal.attachCustomKeyEventHandler((event) => {
    const { type, ctrlKey, shiftKey, altKey, key } = event
    const isSearch = type === 'keydown' && ctrlKey && shiftKey && !altKey && key.toLowerCase() === 'f'
    if (onSearch === undefined || !isSearch) return handleKey(terminal, event)
    event.preventDefault()
    onSearch()
    return false
  })
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    event.stopPropagation()
    terminal.paste(cleanPaste(event.clipboardData?.getData('text/plain') ?? ''))
  }
  // Before xterm, which forwards the clipboard unchanged.
  element.addEventListener('paste', paste, { capture: true })
}

/** Text without control characters, which could end bracketed paste and run in the shell. */
export function cleanPaste(text: string): string {
  // Tabs and line ends stay.
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '')
}

function handleKey(terminal: Terminal, event: KeyboardEvent): boolean {
  if (event.type !== 'keydown' || !event.ctrlKey || event.altKey) return true
  const key = event.key.toLowerCase()
  if (key === 'v') return false
  if (key !== 'c' || !terminal.hasSelection()) return true
  // The browser copies the content of xterm's hidden field.
  if (event.shiftKey) event.preventDefault()
  void navigator.clipboard?.writeText(terminal.getSelection())
  terminal.clearSelection()
  return false
}
