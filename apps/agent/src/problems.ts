/** Problems of the agent itself, by cause. The messages are shown in the console. */
export class Problems {
  #sentences = new Map<string, string>()
  #listeners = new Set<() => void>()

  /** Sets a problem; `null` clears it. */
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
