/** The reason for opening the tools of this window: given once, it counts for later tools. */
let given: string | undefined
const listeners = new Set<() => void>()

export const readPurpose = (): string | undefined => given

export function givePurpose(purpose: string): void {
  given = purpose
  for (const listener of listeners) listener()
}

/** Called as soon as a reason was given, in any terminal of this window. */
export function onPurpose(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

interface Waiting {
  onTurn: () => void
  onDismissed: () => void
}
const waiting: Waiting[] = []

/** Several tools may need a reason at once: the first asks, the next one if that is dismissed. */
export function waitForPurpose(tool: Waiting): () => void {
  waiting.push(tool)
  waiting[0]?.onTurn()
  return () => {
    waiting.splice(waiting.indexOf(tool), 1)
    waiting[0]?.onTurn()
  }
}

/** The question was dismissed: waiting tools do not ask again on their own. */
export function dismissPurpose(): void {
  for (const tool of waiting.slice()) tool.onDismissed()
}
