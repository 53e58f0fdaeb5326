import type { PatchReport } from '@muster/contract/agent/patches'
import { describeError, type Log } from '../log/log.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import { isSameBoot } from '../tasks/boot-mark.ts'
import type { PatchLook, ReadPatches } from './patches-apart.ts'

const FIRST_LOOK_MS = 120_000
const EVERY_MS = 6 * 3_600_000
/** Kept while the system says that it has to restart: since which start of it. */
const KEPT_REBOOT = 'reboot_needed_since'

export interface PatchReporterOptions {
  read: ReadPatches
  outbox: Pick<Outbox, 'append' | 'appendWritten'>
  kept: Kept
  bootMark: () => string
  log: Log
  firstLookMs?: number | undefined
}

/**
 * Looks for patches: some minutes after the start, every six hours, when somebody asks, and after an installation. The
 * times differ from machine to machine, so that a network does not ask all at once.
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
    const first = this.#options.firstLookMs ?? FIRST_LOOK_MS
    this.#timer ??= setTimeout(() => this.#lookAndGoOn(), first * (1 + 2 * Math.random()))
  }

  /** Looks now, with lists that are fetched anew, or joins a look that does. */
  scan(): void {
    this.#look('now')
  }

  /** What was installed is looked at again, with the lists as they are. */
  lookAgain(): void {
    this.#look('when old')
  }

  /** What only the patch tool of the system says; a restart ends it. */
  get needsReboot(): boolean {
    const since = this.#options.kept.find(KEPT_REBOOT)
    return since !== undefined && isSameBoot(since, this.#options.bootMark())
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  #lookAndGoOn(): void {
    this.#look('when old')
    this.#timer = setTimeout(() => this.#lookAndGoOn(), EVERY_MS * (0.9 + 0.2 * Math.random()))
  }

  /** One at a time; what is asked for meanwhile is looked at afterwards, once. */
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
    } catch (cause) {
      if (this.#stop.signal.aborted) return
      log.warn({ cause: describeError(cause) }, 'patches cannot be looked for')
      const problem = `The machine could not look for patches: ${describeError(cause)}`.slice(0, 1000)
      outbox.append({ kind: 'patches', found: null, problem } satisfies PatchReport)
    }
  }

  #keepReboot({ needsReboot }: PatchLook): void {
    const { kept, bootMark } = this.#options
    if (needsReboot === true) kept.save(KEPT_REBOOT, bootMark())
    else if (needsReboot === false) kept.forget(KEPT_REBOOT)
  }
}
