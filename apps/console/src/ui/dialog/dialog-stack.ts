import { useEffect, useId, useSyncExternalStore } from 'react'

// Dialogs may stand over each other: a question over a form. Keys and focus belong to the one on top.
let stack: readonly string[] = []
const listeners = new Set<() => void>()

/** Whether this dialog is the one on top while it is open. */
export function useTopDialog(opened: boolean): boolean {
  const id = useId()
  useEffect(() => {
    if (!opened) return undefined
    change([...stack, id])
    return () => change(stack.filter((other) => other !== id))
  }, [opened, id])
  return useSyncExternalStore(subscribe, () => stack.at(-1) === id)
}

function change(next: readonly string[]): void {
  stack = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
