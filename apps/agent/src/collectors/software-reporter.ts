import { statSync } from 'node:fs'
import { describeError, type Log } from '../log/log.ts'
import { MachineRefused } from '../os/machine-refused.ts'
import type { Outbox } from '../state/outbox.ts'
import type { ReadSoftware, SoftwareSummary } from './software-apart.ts'

const FIRST_LOOK_MS = 15_000
const PLACES_EVERY_MS = 60_000
const DAY_MS = 24 * 3_600_000

export interface SoftwareOptions {
  read: ReadSoftware
  /** Files and folders that change when software is installed or removed. */
  places: string[]
  outbox: Pick<Outbox, 'appendWritten'>
  log: Log
  now: () => number
  firstLookMs?: number | undefined
  placesEveryMs?: number | undefined
}

/**
 * Scans the installed software: soon after the start, once a day, and when the watched paths have changed and are
 * stable again. The server receives only the hash and requests the list if it has another one, so that ten thousand
 * machines never send their lists at once.
 */
export class SoftwareReporter implements Disposable {
  #options: SoftwareOptions
  #isLinked = false
  #lookedAt: number | undefined
  /** State of the paths at the last scan, and at the last poll. */
  #seen = ''
  #last = ''
  #timer: NodeJS.Timeout | undefined
  #run: Promise<unknown> | undefined
  #stop = new AbortController()

  constructor(options: SoftwareOptions) {
    this.#options = options
  }

  onLinkUp(): void {
    this.#isLinked = true
    this.#timer ??= setTimeout(() => void this.#begin(), this.#options.firstLookMs ?? FIRST_LOOK_MS)
  }

  onLinkDown(): void {
    this.#isLinked = false
  }

  /**
   * Reports the whole list. Throws Unmeasurable if the system has no such list, MachineRefused if the agent stops
   * first.
   */
  async reportAll(): Promise<SoftwareSummary> {
    try {
      return await this.#look('all')
    } catch (cause) {
      if (this.#stop.signal.aborted)
        throw new MachineRefused('The agent stopped before the scan was complete.')
      throw cause
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  async #begin(): Promise<void> {
    await this.#lookQuietly()
    if (this.#stop.signal.aborted) return
    this.#timer = setInterval(() => this.#lookIfDue(), this.#options.placesEveryMs ?? PLACES_EVERY_MS)
  }

  #lookIfDue(): void {
    if (!this.#isLinked || this.#run !== undefined) return
    const places = this.#readPlaces()
    const isQuiet = places === this.#last
    this.#last = places
    const isOld = this.#lookedAt === undefined || this.#options.now() - this.#lookedAt >= DAY_MS
    if (isOld || (isQuiet && places !== this.#seen)) void this.#lookQuietly()
  }

  async #lookQuietly(): Promise<void> {
    try {
      await this.#look('hash')
    } catch (cause) {
      // A machine without a software list is not an error.
      if (!this.#stop.signal.aborted)
        this.#options.log.info({ cause: describeError(cause) }, 'no software list')
    }
  }

  /** Scans run one after the other. A request during a scan starts another scan after it. */
  async #look(much: 'all' | 'hash'): Promise<SoftwareSummary> {
    const before = this.#run
    const run = (async () => {
      await before?.catch(() => undefined)
      return this.#read(much)
    })()
    this.#run = run
    try {
      return await run
    } finally {
      if (this.#run === run) this.#run = undefined
    }
  }

  async #read(much: 'all' | 'hash'): Promise<SoftwareSummary> {
    const { read, outbox, now } = this.#options
    this.#lookedAt = now()
    this.#seen = this.#readPlaces()
    this.#last = this.#seen
    const { summary, report } = await read(much, this.#stop.signal)
    outbox.appendWritten('software', report)
    return summary
  }

  #readPlaces(): string {
    return this.#options.places
      .map((place) => statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      .join(' ')
  }
}
