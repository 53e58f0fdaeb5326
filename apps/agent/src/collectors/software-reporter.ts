import { statSync } from 'node:fs'
import { describeError, type Log } from '../log/log.ts'
import { AgentError } from '../errors.ts'
import type { Outbox } from '../state/outbox.ts'
import type { ReadSoftware, SoftwareSummary } from './child-reports.ts'

const FIRST_SCAN_MS = 15_000
const POLL_INTERVAL_MS = 60_000
const DAY_MS = 24 * 3_600_000

export interface SoftwareOptions {
  read: ReadSoftware
  /** Files and folders that change when software is installed or removed. */
  paths: string[]
  outbox: Pick<Outbox, 'appendWritten'>
  log: Log
  now: () => number
  firstScanMs?: number | undefined
  pollIntervalMs?: number | undefined
}

/**
 * Scans the installed software: soon after the start, once a day, and when the watched paths have changed and are
 * stable again. The server receives only the hash and requests the list if it has another one, so that ten thousand
 * machines never send their lists at once.
 */
export class SoftwareReporter implements Disposable {
  #options: SoftwareOptions
  #isLinked = false
  #scannedAt: number | undefined
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
    this.#timer ??= setTimeout(() => void this.#begin(), this.#options.firstScanMs ?? FIRST_SCAN_MS)
  }

  onLinkDown(): void {
    this.#isLinked = false
  }

  /**
   * Reports the whole list. Throws MeasureError if the system has no such list, AgentError if the agent stops
   * first.
   */
  async reportAll(): Promise<SoftwareSummary> {
    try {
      return await this.#look('all')
    } catch (cause) {
      if (this.#stop.signal.aborted) throw new AgentError('The agent stopped before the scan was complete.')
      throw cause
    }
  }

  /** Scans after an installation: the registry of Windows cannot be watched. */
  rescan(): void {
    void this.#scanQuietly()
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  async #begin(): Promise<void> {
    await this.#scanQuietly()
    if (this.#stop.signal.aborted) return
    this.#timer = setInterval(() => this.#scanIfDue(), this.#options.pollIntervalMs ?? POLL_INTERVAL_MS)
  }

  #scanIfDue(): void {
    if (!this.#isLinked || this.#run !== undefined) return
    const paths = this.#readPathState()
    const isQuiet = paths === this.#last
    this.#last = paths
    const isOld = this.#scannedAt === undefined || this.#options.now() - this.#scannedAt >= DAY_MS
    if (isOld || (isQuiet && paths !== this.#seen)) void this.#scanQuietly()
  }

  async #scanQuietly(): Promise<void> {
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
    this.#scannedAt = now()
    this.#seen = this.#readPathState()
    this.#last = this.#seen
    const { summary, report } = await read(much, this.#stop.signal)
    outbox.appendWritten('software', report)
    return summary
  }

  #readPathState(): string {
    return this.#options.paths
      .map((place) => statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      .join(' ')
  }
}
