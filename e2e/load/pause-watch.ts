import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface PauseWatch extends Disposable {
  /** With it a server writes down its pauses. */
  env: Record<string, string>
  /** The pauses that ended since then, in milliseconds. */
  since(instantMs: number): number[]
}

const PROGRAM = pathToFileURL(join(import.meta.dirname, 'pause-watch.js')).href

export function watchPauses(): PauseWatch {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pauses-'))
  const file = join(folder, 'pauses')
  return {
    env: { NODE_OPTIONS: `--import=${PROGRAM}`, PAUSE_FILE: file },
    since(instantMs) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return text.split('\n').flatMap((line) => {
        const [at = 0, pauseMs = 0] = line.split(' ').map(Number)
        return at >= instantMs && pauseMs > 0 ? [pauseMs] : []
      })
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
