import {
  DEFAULT_METRICS_INTERVAL,
  DISK_METRIC,
  type MetricName,
  MAX_METRICS,
} from '@muster/contract/agent/metrics'
import type { Log } from '../log/log.ts'
import type { Counters } from '../os/os.ts'
import type { Outbox } from '../state/outbox.ts'

/** Rates need two samples. Users may be waiting for the first values of a new machine. */
const SECOND_SAMPLE_MS = 5000

export interface MetricsSamplerOptions {
  readCounters: () => Promise<Counters>
  outbox: Outbox
  log: Log
  /** Unix milliseconds, corrected to the server's clock. */
  now: () => number
}

export interface Look {
  /** Monotonic milliseconds. */
  atMs: number
  counters: Counters
}

/**
 * Samples metrics once a minute unless the server sets another interval. Without a link, samples wait in the outbox.
 */
export class MetricsSampler implements Disposable {
  #options: MetricsSamplerOptions
  #timer: NodeJS.Timeout
  #everySeconds = DEFAULT_METRICS_INTERVAL
  #secondSample: NodeJS.Timeout
  #last: Look | undefined
  #isReading = false
  #isStopped = false

  constructor(options: MetricsSamplerOptions) {
    this.#options = options
    this.#timer = this.#startTimer()
    this.#secondSample = setTimeout(() => void this.#sample(), SECOND_SAMPLE_MS)
    void this.#sample()
  }

  every(seconds: number): void {
    if (seconds === this.#everySeconds || this.#isStopped) return
    this.#everySeconds = seconds
    clearInterval(this.#timer)
    this.#timer = this.#startTimer()
  }

  [Symbol.dispose](): void {
    this.#isStopped = true
    clearInterval(this.#timer)
    clearTimeout(this.#secondSample)
  }

  #startTimer(): NodeJS.Timeout {
    return setInterval(() => void this.#sample(), this.#everySeconds * 1000)
  }

  async #sample(): Promise<void> {
    // A disk that hangs must not pile up samples.
    if (this.#isReading) return
    this.#isReading = true
    const { readCounters, outbox, log, now } = this.#options
    try {
      const counters = await readCounters()
      const look = { atMs: performance.now(), counters }
      const before = this.#last
      this.#last = look
      if (this.#isStopped || before === undefined) return
      const values = toValues(before, look)
      outbox.append({ kind: 'metrics', sample: { at: new Date(now()).toISOString(), values } })
    } catch (cause) {
      // The next sample follows soon, and an error here must not stop the agent.
      log.debug({ cause }, 'failed to sample metrics')
    } finally {
      this.#isReading = false
    }
  }
}

/** Shares and rates between two samples. A counter that decreased (a reboot, a removed interface) has no rate. */
export function toValues(before: Look, { atMs, counters }: Look): Record<string, number> {
  const seconds = (atMs - before.atMs) / 1000
  const rate = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined || to < from || seconds <= 0
      ? undefined
      : Math.round((to - from) / seconds)
  const { cpu, diskBytes, netBytes } = counters
  const old = before.counters
  const oldNet = old.netBytes?.interfaces === netBytes?.interfaces ? old.netBytes : undefined
  const total = cpu.total - old.cpu.total
  const known: Record<MetricName, number | undefined> = {
    cpu: total > 0 && cpu.busy >= old.cpu.busy ? ((cpu.busy - old.cpu.busy) / total) * 100 : undefined,
    memory: counters.memoryPercent,
    swap: counters.swapPercent,
    load: counters.load,
    disk_read: rate(old.diskBytes?.read, diskBytes?.read),
    disk_write: rate(old.diskBytes?.written, diskBytes?.written),
    net_in: rate(oldNet?.received, netBytes?.received),
    net_out: rate(oldNet?.sent, netBytes?.sent),
    uptime: Math.round(counters.uptimeSeconds),
  }
  const disks = counters.disks.map(({ mount, percent }) => [DISK_METRIC + mount, percent] as const)
  const all = [...Object.entries(known), ...disks].flatMap(([name, value]) =>
    value === undefined || !Number.isFinite(value) ? [] : [[name, Math.round(value * 100) / 100] as const],
  )
  return Object.fromEntries(all.slice(0, MAX_METRICS))
}
