import { type CheckResult, MAX_RESULTS, type Measured } from '@muster/contract/agent/checks'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Wanted } from '../state/definitions.ts'
import type { KeyValueStore, State } from '../state/state.ts'
import type { Problems } from '../status-file.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Seal } from '../state/seal.ts'
import type { CheckMemory } from './table.ts'
import type { CheckScripts } from './check-scripts.ts'
import { CheckDefinitions } from './definitions.ts'
import { Scheduler } from './scheduler.ts'

const GATHER_MS = 1000
/** Script output makes results large. Reports stay far below the frame limit. */
const MAX_BATCH_BYTES = 128 * 1024

/** Collects the results of one second into one report. */
class CheckResults implements Disposable {
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

/** Definitions may arrive in several commands. Those still missing after this time are requested. */
const REQUEST_DELAY_MS = 500

export interface ChecksOptions {
  state: State
  keyValues: KeyValueStore
  seal: Seal
  outbox: Outbox
  os: Os
  log: Log
  scripts: CheckScripts
  problems: Problems
  /** Unix milliseconds, corrected to the server's clock. */
  now: () => number
}

/** The checks of this machine: their definitions, schedule and results. */
export class Checks implements AsyncDisposable {
  #options: ChecksOptions
  #definitions: CheckDefinitions
  #scheduler: Scheduler
  #results: CheckResults
  #memories = new Map<number, CheckMemory>()
  /** Checks that the machine lacks something for. */
  #lacking = new Set<number>()
  #hanging = new Set<number>()
  #newest = -1
  #requestedIds = new Set<number>()
  #requestTimer: NodeJS.Timeout | undefined
  #replan: NodeJS.Immediate | undefined

  constructor(options: ChecksOptions) {
    this.#options = options
    this.#definitions = new CheckDefinitions(options)
    this.#results = new CheckResults(options)
    this.#scheduler = new Scheduler({ run: (id, signal) => this.#run(id, signal) })
  }

  start(): void {
    this.#scheduler.plan(this.#definitions.listPlanned(), 'start')
  }

  /** The version of `set-checks` that is stored completely; 0 = none. */
  get version(): number {
    return this.#definitions.version
  }

  onLinkUp(): void {
    this.#newest = -1
    this.#requestedIds.clear()
  }

  /**
   * Stores the definitions from the server, in the transaction that records the command. Within one link, an older
   * version than the last is ignored. A new link accepts any version, because a server restored from a backup starts
   * with an older one.
   */
  set(wanted: Wanted): void {
    if (wanted.version < this.#newest) return
    this.#newest = wanted.version
    this.#definitions.set(wanted)
    // The transaction may be retried or rolled back.
    this.#replan ??= setImmediate(() => {
      this.#replan = undefined
      this.#scheduler.plan(this.#definitions.listPlanned(), 'change')
      this.#dropMemories()
      for (const id of this.#lacking) if (!this.#definitions.has(id)) this.#showLack(id, null)
      this.#requestSoon(wanted.version)
    })
  }

  runNow(ids: readonly number[] | null): void {
    // Debounces several changes in a row.
    setImmediate(() => this.#scheduler.runNow(ids))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#requestTimer)
    clearImmediate(this.#replan)
    await this.#scheduler[Symbol.asyncDispose]()
    this.#results[Symbol.dispose]()
  }

  async #run(id: number, signal: AbortSignal): Promise<void> {
    const { os, log, now, scripts } = this.#options
    try {
      const definition = this.#definitions.find(id)
      if (definition === undefined) return
      const { measureCheck } = await import('./measure-check.ts')
      const memory = this.#memories.get(id) ?? {}
      this.#memories.set(id, memory)
      const probes = await os.loadProbes()
      const context = { probes, scripts, memory, hanging: this.#hanging, log, signal }
      const measured = await measureCheck(definition, context)
      const { revision } = definition
      if (signal.aborted || !this.#definitions.isCurrent(id, revision)) return
      this.#showLack(id, lackOf(measured))
      this.#results.add({ check_id: id, revision, at: new Date(now()).toISOString(), measured })
    } catch (cause) {
      log.error({ check_id: id, cause: describeError(cause) }, 'check failed with an unexpected error')
    }
  }

  /** Names what is missing among the problems of the machine. */
  #showLack(id: number, reason: string | null): void {
    if (reason === null) this.#lacking.delete(id)
    else this.#lacking.add(id)
    this.#options.problems.set(`check ${id}`, reason === null ? null : `Checks are not measured: ${reason}`)
  }

  #requestSoon(version: number): void {
    clearTimeout(this.#requestTimer)
    this.#requestTimer = setTimeout(() => {
      // Requested once per link, or an unreadable definition would be requested forever.
      const ids = this.#definitions.listMissing().filter((id) => !this.#requestedIds.has(id))
      if (ids.length === 0) return
      for (const id of ids) this.#requestedIds.add(id)
      this.#options.outbox.append({ kind: 'checks-missing', version, ids })
    }, REQUEST_DELAY_MS)
  }

  #dropMemories(): void {
    for (const id of this.#memories.keys()) if (!this.#definitions.has(id)) this.#memories.delete(id)
  }
}

function lackOf(measured: Measured): string | null {
  return measured.check_type === 'unmeasurable' && measured.not_measured === true ? measured.reason : null
}
