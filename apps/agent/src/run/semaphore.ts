/** Admits a limited number at a time. The others wait in order of arrival. */
export class Semaphore {
  #free: number
  #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async take(): Promise<void> {
    if (this.#free === 0) return new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#free -= 1
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
