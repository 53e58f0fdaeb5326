import type { Terminal } from '@xterm/xterm'

const TYPING = ['keydown', 'keypress', 'input', 'paste', 'compositionend'] as const
/** What was composed comes a moment after the event. */
const COMPOSED_MS = 60
/** What a terminal answers by itself: where the cursor is, what it can do, and the like. */
// oxlint-disable-next-line no-control-regex
const ANSWER = /^\u001b(\[[?>=]?[\d;]*(c|R|n|t|\$y|I|O|u)|[P\]_^])/

/**
 * Tells what the person types and pastes, and nothing that a terminal answers by itself: what one machine has asked for
 * must not be typed into others.
 */
export function followTyping(
  terminal: Terminal,
  element: HTMLElement,
  onTyped: (text: string) => void,
): Disposable {
  let isTyping = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = ({ type }: Event) => {
    isTyping = true
    clearTimeout(timer)
    timer = setTimeout(() => (isTyping = false), type === 'compositionend' ? COMPOSED_MS : 0)
  }
  for (const type of TYPING) element.addEventListener(type, begin, { capture: true })
  const following = terminal.onData((text) => {
    if (isTyping && !ANSWER.test(text)) onTyped(text)
  })
  return {
    [Symbol.dispose]() {
      for (const type of TYPING) element.removeEventListener(type, begin, { capture: true })
      clearTimeout(timer)
      following.dispose()
    },
  }
}

const [PASTE_BEGINS, PASTE_ENDS] = ['\u001b[200~', '\u001b[201~']

/** Types what was typed elsewhere. What was pasted is pasted, in brackets only where the shell here asks for them. */
export function typeText(terminal: Terminal, text: string): void {
  if (text.startsWith(PASTE_BEGINS) && text.endsWith(PASTE_ENDS))
    terminal.paste(text.slice(PASTE_BEGINS.length, -PASTE_ENDS.length))
  else terminal.input(text, true)
}
