import { createStore, useStore } from '../session/store.ts'

/** Requests under way that a person set off: they show the bar at the top of the page. */
const pending = createStore(0)
let quietDepth = 0

/** Runs `start` so that the requests which it sets off do not show the bar: nothing may flash when data updates by itself. */
export function quietly<Result>(start: () => Result): Result {
  quietDepth += 1
  try {
    return start()
  } finally {
    quietDepth -= 1
  }
}

/** Counts a request as under way until it ends. */
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
