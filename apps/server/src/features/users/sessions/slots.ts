import { AppError } from '@muster/contract/errors'

const MAX_QUEUE = 20

/**
 * Runs work one after the other per key: in a burst of attempts on one account, each sees the result of the previous
 * one. Work with several keys waits for all of them, in a fixed order, which prevents deadlocks.
 */
export class Turns {
  #queues = new Map<string, (() => void)[]>()

  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const taken: string[] = []
    try {
      for (const key of [...new Set(keys)].toSorted()) {
        await this.#take(key)
        taken.push(key)
      }
      return await work()
    } finally {
      for (const key of taken) this.#give(key)
    }
  }

  async #take(key: string): Promise<void> {
    const queue = this.#queues.get(key)
    if (queue === undefined) {
      this.#queues.set(key, [])
      return
    }
    if (queue.length >= MAX_QUEUE) {
      throw new AppError('too_many_requests', 'Too many sign-in attempts at once. Try again in a second.', {
        retryAfterSeconds: 1,
      })
    }
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  #give(key: string): void {
    const next = this.#queues.get(key)?.shift()
    if (next === undefined) this.#queues.delete(key)
    else next()
  }
}
