import '@xterm/xterm/css/xterm.css'
import { Terminal } from '@xterm/xterm'
import type { CastScreen } from './cast-player.ts'
import { bindLinks } from './terminal-links.ts'
import { TERMINAL_LOOK } from './terminal-look.ts'

/** Beyond these a recording is not believed. */
const [MOST_COLS, MOST_ROWS] = [500, 200]

/** A terminal that nobody types into, for recordings. */
export function openScreen(
  element: HTMLElement,
  size: { cols: number; rows: number },
): CastScreen & Disposable {
  const terminal = new Terminal({ ...TERMINAL_LOOK, disableStdin: true, scrollback: 1000, ...within(size) })
  terminal.open(element)
  bindLinks(terminal)
  return {
    reset: () => terminal.reset(),
    resize: (cols, rows) => {
      const { cols: wide, rows: high } = within({ cols, rows })
      terminal.resize(wide, high)
    },
    write: (text) => terminal.write(text),
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

function within({ cols, rows }: { cols: number; rows: number }) {
  return { cols: Math.max(2, Math.min(cols, MOST_COLS)), rows: Math.max(1, Math.min(rows, MOST_ROWS)) }
}
