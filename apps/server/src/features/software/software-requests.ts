const EVERY_MS = 50

/**
 * Requests missing software lists one after the other, twenty per second: after an update of the server all machines
 * send one, some of half a megabyte.
 */
export class SoftwareRequests implements Disposable {
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
    // An offline machine is compared again when it reconnects, or a day later.
    this.#ask(id)
    this.#timer = setTimeout(() => this.#next(), EVERY_MS)
  }
}
