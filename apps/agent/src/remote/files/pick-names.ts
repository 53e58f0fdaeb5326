/** A name in a folder, by what it is sorted. */
export interface Named {
  /** Its bytes, a character each: a million texts cost half the time of a million buffers. */
  name: string
  isFolder: boolean
}

/**
 * The first names after a given one, of any number: only a few are held at any time, so that a folder of a million
 * costs no memory.
 */
export class PickNames {
  total = 0
  #most: number
  #after: Named | undefined
  #picked: Named[] = []
  #last: Named | undefined
  /** How many come after the given one. */
  #rest = 0

  constructor(most: number, after: Named | undefined) {
    this.#most = most
    this.#after = after
  }

  add(named: Named): void {
    this.total += 1
    if (this.#after !== undefined && compareNamed(named, this.#after) <= 0) return
    this.#rest += 1
    if (this.#last !== undefined && compareNamed(named, this.#last) > 0) return
    this.#picked.push(named)
    if (this.#picked.length >= 4 * this.#most) this.#cut()
  }

  /** In order; `more` = there are others behind them. */
  finish(): { picked: Named[]; more: boolean } {
    this.#cut()
    return { picked: this.#picked, more: this.#rest > this.#picked.length }
  }

  #cut(): void {
    this.#picked.sort(compareNamed)
    this.#picked.length = Math.min(this.#picked.length, this.#most)
    if (this.#picked.length === this.#most) this.#last = this.#picked.at(-1)
  }
}

function compareNamed(a: Named, b: Named): number {
  if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1
}
