import type { Log } from '../log/log.ts'
import { describeError } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Wanted } from '../state/definitions.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Seal } from '../state/seal.ts'
import type { State } from '../state/state.ts'
import type { CheckMemory } from './check-kind.ts'
import type { CheckScripts } from './check-scripts.ts'
import { CheckDefinitions } from './definitions.ts'
import { CheckResults } from './results.ts'
import { Scheduler } from './scheduler.ts'

/** Definitions may arrive in several commands. Those still missing after this time are requested. */
const ASK_AFTER_MS = 500

export interface ChecksOptions {
  state: State
  kept: Kept
  seal: Seal
  outbox: Outbox
  os: Os
  log: Log
  scripts: CheckScripts
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
  #hanging = new Set<number>()
  #newest = -1
  #askedFor = new Set<number>()
  #askTimer: NodeJS.Timeout | undefined
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
    this.#askedFor.clear()
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
      this.#forgetMemories()
      this.#askSoon(wanted.version)
    })
  }

  runNow(ids: readonly number[] | null): void {
    // Debounces several changes in a row.
    setImmediate(() => this.#scheduler.runNow(ids))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#askTimer)
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
      this.#results.add({ check_id: id, revision, at: new Date(now()).toISOString(), measured })
    } catch (cause) {
      log.error({ check_id: id, cause: describeError(cause) }, 'check failed with an unexpected error')
    }
  }

  #askSoon(version: number): void {
    clearTimeout(this.#askTimer)
    this.#askTimer = setTimeout(() => {
      // Requested once per link, or an unreadable definition would be requested forever.
      const ids = this.#definitions.listMissing().filter((id) => !this.#askedFor.has(id))
      if (ids.length === 0) return
      for (const id of ids) this.#askedFor.add(id)
      this.#options.outbox.append({ kind: 'checks-missing', version, ids })
    }, ASK_AFTER_MS)
  }

  #forgetMemories(): void {
    for (const id of this.#memories.keys()) if (!this.#definitions.has(id)) this.#memories.delete(id)
  }
}
