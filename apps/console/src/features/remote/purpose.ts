/** Why the tools of this window are opened, once somebody was asked: said once, it counts for what comes after. */
let given: string | undefined
const listeners = new Set<() => void>()

export const readPurpose = (): string | undefined => given

export function givePurpose(purpose: string): void {
  given = purpose
  for (const listener of listeners) listener()
}

/** Called as soon as somebody has said it, in whichever terminal of this window. */
export function onPurpose(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
