const EVERY_MS = 50

/**
 * Machines whose list is wanted are asked for it one after the other, twenty a second: after an update of the server
 * all of them have something to tell, half a megabyte some.
 */
export class SoftwareAsks implements Disposable {
  #ask: (agentId: string) => void
  #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(ask: (agentId: string) => void) {
    this.#ask = ask
  }

  add(agentIds: readonly string[]): void {
    for (const id of agentIds) this.#waiting.add(id)
    if (this.#timer === undefined) this.#next()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #next(): void {
    this.#timer = undefined
    const [id] = this.#waiting
    if (id === undefined) return
    this.#waiting.delete(id)
    // One that has gone meanwhile looks again when it is back, or a day later.
    this.#ask(id)
    this.#timer = setTimeout(() => this.#next(), EVERY_MS)
  }
}
