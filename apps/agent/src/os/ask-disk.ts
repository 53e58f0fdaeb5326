import { Unmeasurable } from '../checks/unmeasurable.ts'

const PATIENCE_MS = 5000
/**
 * Limit for disk calls that are unanswered at one time. A disk that hangs (a network share) blocks one of the few
 * threads of the process, possibly for hours, and the link needs those threads too.
 */
const MAX_UNANSWERED = 2

const unanswered = new Set<string>()
const waiting = new Set<() => void>()

/** Returns the result of a disk call. Throws Unmeasurable on timeout. A call that hangs is not repeated. */
export async function askDisk<Answer>(path: string, ask: () => Promise<Answer>): Promise<Answer> {
  const patience = startPatience()
  try {
    while (unanswered.has(path) || unanswered.size >= MAX_UNANSWERED) {
      const isFree = Promise.withResolvers<'free'>()
      const wake = () => isFree.resolve('free')
      waiting.add(wake)
      const outcome = await Promise.race([isFree.promise, patience.over])
      waiting.delete(wake)
      if (outcome === 'over') throw silent(path)
    }
    unanswered.add(path)
    const asked = ask().finally(() => {
      unanswered.delete(path)
      for (const wake of waiting) wake()
    })
    // A late failure is ignored.
    asked.catch(() => {})
    const outcome = await Promise.race([asked.then((answer) => ({ answer })), patience.over])
    if (outcome === 'over') throw silent(path)
    return outcome.answer
  } finally {
    patience[Symbol.dispose]()
  }
}

function silent(path: string): Unmeasurable {
  const where = unanswered.has(path) || unanswered.size === 0 ? path : [...unanswered].join(' and ')
  return new Unmeasurable(`${where} did not respond within ${PATIENCE_MS / 1000} seconds.`)
}

function startPatience(): Disposable & { over: Promise<'over'> } {
  const { promise, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(() => resolve('over'), PATIENCE_MS)
  return { over: promise, [Symbol.dispose]: () => clearTimeout(timer) }
}
