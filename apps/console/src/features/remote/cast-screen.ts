import '@xterm/xterm/css/xterm.css'
import { Terminal } from '@xterm/xterm'
import type { CastScreen } from './cast-player.ts'
import { bindLinks } from './terminal-links.ts'
import { TERMINAL_LOOK } from './terminal-look.ts'

const RESET = Symbol('reset')
type Step = string | { cols: number; rows: number } | typeof RESET

/** Beyond these a recording is not believed. */
const [MOST_COLS, MOST_ROWS] = [500, 200]

/** A terminal throws away what it has not drawn yet beyond fifty million characters. */
const PIECE = 1_000_000

/** A terminal that nobody types into, for recordings. It is handed the next step when it has drawn the last one. */
export function openScreen(
  element: HTMLElement,
  size: { cols: number; rows: number },
): CastScreen & Disposable {
  const terminal = new Terminal({ ...TERMINAL_LOOK, disableStdin: true, scrollback: 1000, ...within(size) })
  terminal.open(element)
  bindLinks(terminal)
  let steps: Step[] = []
  let isBusy = false
  const go = () => {
    isBusy = false
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      if (typeof step === 'string') {
        isBusy = true
        terminal.write(step, go)
        return
      }
      if (step === RESET) terminal.reset()
      else terminal.resize(step.cols, step.rows)
    }
  }
  const add = (...more: Step[]) => {
    steps.push(...more)
    if (!isBusy) go()
  }
  return {
    reset: () => {
      steps = []
      add(RESET)
    },
    resize: (cols, rows) => add(within({ cols, rows })),
    write: (text) => {
      for (let from = 0; from < text.length; from += PIECE) add(text.slice(from, from + PIECE))
    },
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

function within({ cols, rows }: { cols: number; rows: number }) {
  return { cols: Math.max(2, Math.min(cols, MOST_COLS)), rows: Math.max(1, Math.min(rows, MOST_ROWS)) }
}
