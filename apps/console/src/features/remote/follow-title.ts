import type { Terminal } from '@xterm/xterm'
import { cleanTitle } from './clean-title.ts'

/** A program may change it as fast as it writes. */
const TOLD_EVERY_MS = 200

/** Tells what the shell calls its terminal, now and then the newest. */
export function followTitle(terminal: Terminal, onTitle: (title: string | undefined) => void): Disposable {
  let newest = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const following = terminal.onTitleChange((title) => {
    newest = title
    timer ??= setTimeout(() => {
      timer = undefined
      onTitle(cleanTitle(newest))
    }, TOLD_EVERY_MS)
  })
  return {
    [Symbol.dispose]() {
      following.dispose()
      clearTimeout(timer)
    },
  }
}
