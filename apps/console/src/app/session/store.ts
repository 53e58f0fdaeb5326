import { useSyncExternalStore } from 'react'
import type { Platform } from '@muster/contract/fields'

/** A value outside React that components subscribe to. For single values only: session, live connection, notifications. */
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

/** The part of a store that a component needs; `select` must return equal values for an unchanged state. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}

/** Platform of the machine selected last; Windows by default. New scripts and policy tasks start with its shell. */
export const agentPlatform = createStore<Platform>('windows')
