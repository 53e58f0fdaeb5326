import { AppError } from '@muster/contract/errors'

/** How long a query waits for a connection before it gives up with a clear error. */
export const CONNECTION_WAIT_MS = 30_000

type Waiting = { enter: () => void; timer: NodeJS.Timeout }

/**
 * The line in front of SQLite's one connection: first come, first served. Kysely has a queue of its own,
 * but one that waits for ever; here a transaction that is held open by mistake costs a wait and an error.
 */
export class ConnectionQueue {
  #taken = false
  #waiting = new Set<Waiting>()
  #waitMs: number

  constructor(waitMs = CONNECTION_WAIT_MS) {
    this.#waitMs = waitMs
  }

  async enter(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { enter: resolve, timer: setTimeout(giveUp, this.#waitMs, this) }
    this.#waiting.add(waiting)
    return promise

    function giveUp(queue: ConnectionQueue) {
      queue.#waiting.delete(waiting)
      reject(
        new AppError(
          'unavailable',
          `The database was busy for ${queue.#waitMs / 1000} s: another transaction is being held open. Try again.`,
        ),
      )
    }
  }

  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#taken = false
      return
    }
    this.#waiting.delete(next)
    clearTimeout(next.timer)
    next.enter()
  }
}
