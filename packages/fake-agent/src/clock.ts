const TICK_MS = 20

/**
 * One timer for all machines of a fleet. Due work is stored by tick, so that a waiting machine costs one entry and
 * no interval of its own.
 */
export class Clock implements Disposable {
  #due = new Map<number, Set<() => void>>()
  #everyTick: ((elapsedMs: number) => void)[] = []
  #timer: NodeJS.Timeout
  #tick = 0
  #startedMs = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#catchUp(), TICK_MS)
  }

  /** Runs `work` once after about this time. Returns a function that cancels it. */
  after(delayMs: number, work: () => void): () => void {
    const at = this.#tick + Math.max(1, Math.ceil(delayMs / TICK_MS))
    const set = this.#due.get(at) ?? new Set()
    this.#due.set(at, set.add(work))
    return () => set.delete(work)
  }

  onTick(work: (elapsedMs: number) => void): void {
    this.#everyTick.push(work)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#due.clear()
    this.#everyTick = []
  }

  #catchUp(): void {
    const now = Math.floor((performance.now() - this.#startedMs) / TICK_MS)
    const elapsedMs = (now - this.#tick) * TICK_MS
    while (this.#tick < now) {
      this.#tick += 1
      const works = this.#due.get(this.#tick)
      this.#due.delete(this.#tick)
      for (const work of works ?? []) work()
    }
    if (elapsedMs > 0) for (const work of this.#everyTick) work(elapsedMs)
  }
}
