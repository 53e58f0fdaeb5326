import { MAX_RESULTS, type CheckResult } from '@muster/contract/agent/checks'
import type { Log } from '../log/log.ts'
import type { Outbox } from '../state/outbox.ts'

const GATHER_MS = 1000
/** Output of scripts makes results large; reports stay far below what one frame may hold. */
const MAX_BATCH_BYTES = 128 * 1024

/** Puts results together that come within a second, so that a report carries several. */
export class CheckResults implements Disposable {
  #outbox: Outbox
  #log: Log
  #gathered: CheckResult[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: { outbox: Outbox; log: Log }) {
    this.#outbox = options.outbox
    this.#log = options.log
  }

  add(result: CheckResult): void {
    this.#gathered.push(result)
    this.#bytes += Buffer.byteLength(JSON.stringify(result))
    if (this.#gathered.length >= MAX_RESULTS || this.#bytes >= MAX_BATCH_BYTES) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const results = this.#gathered
    this.#gathered = []
    this.#bytes = 0
    if (results.length === 0) return
    try {
      this.#outbox.append({ kind: 'checks', results })
    } catch (cause) {
      // Nothing may end the agent, and the next measurement comes soon.
      this.#log.error({ cause, count: results.length }, 'results of checks cannot be kept')
    }
  }

  [Symbol.dispose](): void {
    this.flush()
  }
}
