export interface Modifiers {
  ctrl: boolean
  alt: boolean
}

const ESC = '\u001b'

/** Returns the characters for a key with Ctrl or Alt. Other texts, such as pastes, stay as they are. */
export function modify(text: string, { ctrl, alt }: Modifiers): string {
  if (!ctrl && !alt) return text
  const sequence = sequenceOf(text)
  if (sequence !== undefined) {
    const modifier = 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0)
    return `${ESC}[${sequence.number};${modifier}${sequence.end}`
  }
  if (Array.from(text).length !== 1) return text
  return (alt ? ESC : '') + (ctrl ? controlOf(text) : text)
}

/** An arrow as programs in application mode, such as editors, expect it. Other keys stay as they are. */
export function applicationKey(key: string): string {
  return key.startsWith(ESC) && /^\[[A-D]$/.test(key.slice(1)) ? `${ESC}O${key.slice(2)}` : key
}

/** An arrow, or a key with a number such as Page Up, as xterm writes it without modifiers. */
function sequenceOf(text: string): { number: string; end: string } | undefined {
  if (!text.startsWith(ESC)) return undefined
  const [, arrow] = /^[[O]([A-DHF])$/.exec(text.slice(1)) ?? []
  if (arrow !== undefined) return { number: '1', end: arrow }
  const [, number] = /^\[(\d)~$/.exec(text.slice(1)) ?? []
  return number === undefined ? undefined : { number, end: '~' }
}

/** Ctrl with the keys that have a control character: `c` is 3, `[` is Esc. */
function controlOf(char: string): string {
  if (char === ' ') return '\0'
  if (char === '?') return '\u007f'
  if (char === '/' || char === '-') return '\u001f'
  const code = char.toUpperCase().charCodeAt(0)
  return code >= 64 && code < 96 ? String.fromCharCode(code - 64) : char
}
