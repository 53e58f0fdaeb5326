import { MAX_RESULTS, type CheckResult } from '@muster/contract/agent/checks'
import type { Log } from '../log/log.ts'
import type { Outbox } from '../state/outbox.ts'

const GATHER_MS = 1000
/** Script output makes results large. Reports stay far below the frame limit. */
const MAX_BATCH_BYTES = 128 * 1024

/** Collects the results of one second into one report. */
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
      // An error here must not stop the agent. The next measurement follows soon.
      this.#log.error({ cause, count: results.length }, 'failed to store check results')
    }
  }

  [Symbol.dispose](): void {
    this.flush()
  }
}
