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

interface Waiting {
  onTurn: () => void
  onDismissed: () => void
}
const waiting: Waiting[] = []

/** Several tools may need a reason at once: the first of them asks, the next one where it goes unanswered. */
export function waitForPurpose(tool: Waiting): () => void {
  waiting.push(tool)
  waiting[0]?.onTurn()
  return () => {
    waiting.splice(waiting.indexOf(tool), 1)
    waiting[0]?.onTurn()
  }
}

/** Nobody says why: none of those that wait asks again by itself. */
export function dismissPurpose(): void {
  for (const tool of waiting.slice()) tool.onDismissed()
}
