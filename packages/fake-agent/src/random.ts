/** Deterministic pseudo-random numbers for a seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from 0 to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** true with this probability in percent. */
  percent(share: number): boolean {
    return this.next() * 100 < share
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0]
  }
}
