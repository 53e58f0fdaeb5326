import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { KeyValueStore } from '../state/state.ts'

/**
 * Markers of active processes, stored so that the next process of this agent can find those that were left running.
 */
export class ProcessMarkers {
  #name: string
  #os: Os
  #log: Log
  #keyValues: KeyValueStore
  #markers = new Set<string>()

  /** `name`: the key under which they are stored. */
  constructor(options: { name: string; os: Os; log: Log; keyValues: KeyValueStore }) {
    this.#name = options.name
    this.#os = options.os
    this.#log = options.log
    this.#keyValues = options.keyValues
  }

  add(marker: string): void {
    this.#markers.add(marker)
    this.#save()
  }

  delete(marker: string): void {
    this.#markers.delete(marker)
    this.#save()
  }

  /** Ends processes that an earlier process of this agent left behind. */
  async endInterrupted(): Promise<void> {
    const left = (this.#keyValues.find(this.#name) ?? '').split(' ').filter((marker) => marker !== '')
    if (left.length === 0) return
    this.#log.info({ runs: left.length, of: this.#name }, 'runs were interrupted by a restart of the agent')
    await Promise.all(left.map((marker) => this.#os.killTree(0, marker)))
    this.#save()
  }

  #save(): void {
    this.#keyValues.save(this.#name, [...this.#markers].join(' '))
  }
}
