/** About 5 ms of work. */
const MIN_PER_TURN = 8
const MAX_PER_TURN = 64
/** When other work makes turns long, sign-ins get about as much time as that work. */
const PER_MS = 0.7
/** A page sends its requests in rounds: the answer to one leads to the next. */
const PAGE_OPENS_MS = 300
const PAUSE_MS = 15
/** Longest wait for new connections to be accepted. */
const MAX_WAIT_MS = 20

/**
 * Lets agents sign in a handful at a time, in order of arrival and after new connections. After a restart all agents
 * connect at once. Node accepts one connection per turn of its event loop, so a browser waits as many turns as there
 * are agents before it: turns must be short until the accept queue is empty. Then people go first: sign-ins pause
 * between handfuls as long as requests arrive.
 */
export class SignInPace {
  #waiting: (() => void)[] = []
  #isRunning = false
  #hasAccepted = false
  #ranMs = 0
  #pageOpensUntilMs = 0

  /** A connection of any kind was accepted. */
  noteConnection(): void {
    this.#hasAccepted = true
  }

  /** A request that is not an agent's sign-in has arrived. */
  noteRequest(): void {
    this.#pageOpensUntilMs = performance.now() + PAGE_OPENS_MS
  }

  /** Resolves when it is the caller's turn. */
  turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#ranMs = performance.now()
      setImmediate(() => this.#run())
    }
    return promise
  }

  #run(): void {
    const nowMs = performance.now()
    const sinceMs = nowMs - this.#ranMs
    const pageOpens = nowMs < this.#pageOpensUntilMs
    const hasAccepted = this.#hasAccepted && sinceMs <= MAX_WAIT_MS
    if (!hasAccepted) {
      const count = pageOpens ? MIN_PER_TURN : Math.max(MIN_PER_TURN, Math.round(sinceMs * PER_MS))
      for (const resolve of this.#waiting.splice(0, Math.min(MAX_PER_TURN, count))) resolve()
      this.#ranMs = nowMs
    }
    this.#hasAccepted = false
    this.#isRunning = this.#waiting.length > 0
    if (!this.#isRunning) return
    if (pageOpens && !hasAccepted) setTimeout(() => this.#run(), PAUSE_MS)
    else setImmediate(() => this.#run())
  }
}
