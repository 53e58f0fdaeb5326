import type { Log } from './log.ts'

const PERIOD_MS = 60_000
/** Sources beyond this number share one line. */
const MAX_SOURCES = 200

/**
 * Limits lines that a stranger can cause without limit: the first one of a source is logged, then once a minute how
 * many followed.
 */
export class LimitedLog implements Disposable {
  #log: Pick<Log, 'info' | 'warn'>
  #level: 'info' | 'warn'
  /** Suppressed lines of this period, by source and message. */
  #kept = new Map<string, { source: string; message: string; more: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Pick<Log, 'info' | 'warn'>, level: 'info' | 'warn' = 'info') {
    this.#log = log
    this.#level = level
  }

  /** `source` is an address or an agent. */
  write(source: string, fields: object, message: string): void {
    const hasRoom = this.#kept.has(keyOf(source, message)) || this.#kept.size < MAX_SOURCES
    const name = hasRoom ? source : 'others'
    const known = this.#kept.get(keyOf(name, message))
    if (known !== undefined) {
      known.more += 1
      return
    }
    this.#kept.set(keyOf(name, message), { source: name, message, more: 0 })
    this.#log[this.#level]({ source: name, ...fields }, message)
    this.#timer ??= setTimeout(() => this.#averageInto(), PERIOD_MS).unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #averageInto(): void {
    this.#timer = undefined
    for (const [key, line] of this.#kept) {
      const { source, message, more } = line
      if (more === 0) this.#kept.delete(key)
      else this.#log[this.#level]({ source, more, seconds: PERIOD_MS / 1000 }, message)
      line.more = 0
    }
    if (this.#kept.size > 0) this.#timer = setTimeout(() => this.#averageInto(), PERIOD_MS).unref()
  }
}

const keyOf = (source: string, message: string) => `${source} ${message}`
