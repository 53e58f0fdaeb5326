/** What is wrong with the agent itself, by cause, as sentences that people read in the console. */
export class Problems {
  #sentences = new Map<string, string>()
  #listeners = new Set<() => void>()

  /** Tells a problem, or with `null` that it is over. */
  set(cause: string, sentence: string | null): void {
    if ((this.#sentences.get(cause) ?? null) === sentence) return
    if (sentence === null) this.#sentences.delete(cause)
    else this.#sentences.set(cause, sentence)
    for (const listener of this.#listeners) listener()
  }

  list(): string[] {
    return [...this.#sentences.values()].map((sentence) => sentence.slice(0, 500)).slice(0, 20)
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }
}
