import { useSyncExternalStore } from 'react'

/** A value that lives outside React and that components follow. For what has one home only: session, live link, notifications. */
export interface Store<Value> {
  get: () => Value
  set: (next: Value) => void
  subscribe: (listener: () => void) => () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The part of a store that a component needs; `select` must answer equal things for an unchanged value. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}
