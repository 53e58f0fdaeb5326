import type { PatchReport } from '@muster/contract/agent/patches'
import { describeError, type Log } from '../log/log.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'
import { isSameBoot } from '../os/node-os.ts'
import type { PatchScan, ReadPatches } from './child-reports.ts'

const FIRST_SCAN_MS = 120_000
const EVERY_MS = 6 * 3_600_000
/** The hash of the last reported installed patches. */
const INSTALLED_KEY = 'installed_patches'
/** Stored while the system needs a reboot: the boot mark of that moment. */
const REBOOT_KEY = 'reboot_needed_since'

export interface PatchReporterOptions {
  read: ReadPatches
  outbox: Pick<Outbox, 'append' | 'appendWritten'>
  keyValues: Pick<KeyValueStore, 'find' | 'save' | 'remove'>
  bootMark: () => string
  log: Log
  firstScanMs?: number | undefined
}

/**
 * Scans for patches: some minutes after the start, every six hours, on request, and after an installation. Times
 * vary between machines, so that a network does not scan at once.
 */
export class PatchReporter implements Disposable {
  #options: PatchReporterOptions
  #timer: NodeJS.Timeout | undefined
  #run: Promise<void> | undefined
  #again: 'now' | 'when old' | undefined
  #stop = new AbortController()

  constructor(options: PatchReporterOptions) {
    this.#options = options
  }

  onLinkUp(): void {
    const first = this.#options.firstScanMs ?? FIRST_SCAN_MS
    this.#timer ??= setTimeout(() => this.#scanAndRepeat(), first * (1 + 2 * Math.random()))
  }

  /** Scans with refreshed package lists, or joins such a scan that is running. */
  scan(): void {
    this.#look('now')
  }

  /** Scans again after an installation, without refreshing the lists. */
  rescan(): void {
    this.#look('when old')
  }

  /** Only the system's patch tool knows this. A reboot clears it. */
  get needsReboot(): boolean {
    const since = this.#options.keyValues.find(REBOOT_KEY)
    return since !== undefined && isSameBoot(since, this.#options.bootMark())
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  #scanAndRepeat(): void {
    this.#look('when old')
    this.#timer = setTimeout(() => this.#scanAndRepeat(), EVERY_MS * (0.9 + 0.2 * Math.random()))
  }

  /** One scan at a time. Requests that arrive meanwhile share one further scan. */
  #look(refresh: 'now' | 'when old'): void {
    if (this.#run !== undefined) {
      this.#again = this.#again === 'now' ? 'now' : refresh
      return
    }
    this.#run = this.#read(refresh).finally(() => {
      this.#run = undefined
      const again = this.#again
      this.#again = undefined
      if (again !== undefined && !this.#stop.signal.aborted) this.#look(again)
    })
  }

  async #read(refresh: 'now' | 'when old'): Promise<void> {
    const { read, outbox, log } = this.#options
    try {
      const look = await read(refresh, this.#stop.signal)
      this.#keepReboot(look)
      outbox.appendWritten('patches', look.report)
      this.#reportInstalled(look, refresh)
    } catch (cause) {
      if (this.#stop.signal.aborted) return
      log.warn({ cause: describeError(cause) }, 'failed to scan for patches')
      const problem = `Failed to scan for patches: ${describeError(cause)}`.slice(0, 1000)
      outbox.append({ kind: 'patches', found: null, problem } satisfies PatchReport)
    }
  }

  /** Only if they have changed. A requested scan reports them always, in case the server has lost them. */
  #reportInstalled({ installed, installedHash }: PatchScan, refresh: 'now' | 'when old'): void {
    const { keyValues, outbox } = this.#options
    if (installed === 'null') return
    if (refresh === 'when old' && keyValues.find(INSTALLED_KEY) === installedHash) return
    outbox.appendWritten('installed-patches', installed)
    keyValues.save(INSTALLED_KEY, installedHash)
  }

  #keepReboot({ needsReboot }: PatchScan): void {
    const { keyValues, bootMark } = this.#options
    if (needsReboot === true) keyValues.save(REBOOT_KEY, bootMark())
    else if (needsReboot === false) keyValues.remove(REBOOT_KEY)
  }
}
