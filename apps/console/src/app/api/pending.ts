import { createStore, useStore } from '../session/store.ts'

/** Pending requests that the user started; they show the loading bar. */
const pending = createStore(0)
let quietDepth = 0

/** Runs `start` without the loading bar for its requests, so that background updates do not flash. */
export function quietly<Result>(start: () => Result): Result {
  quietDepth += 1
  try {
    return start()
  } finally {
    quietDepth -= 1
  }
}

/** Counts a request as pending until it ends. */
export async function countPending<Value>(request: () => Promise<Value>): Promise<Value> {
  if (quietDepth > 0) return request()
  pending.set(pending.get() + 1)
  try {
    return await request()
  } finally {
    pending.set(pending.get() - 1)
  }
}

export const usePending = (): boolean => useStore(pending, (count) => count > 0)
