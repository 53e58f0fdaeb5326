/** Longest wait of a request for news. Shorter than the timeout between processes. */
const WAIT_MS = 3000
/** A view without a request for this long is closed. */
const GRACE_MS = 3000
/** The agent stops after this on its own, in case the server dies. */
const LEASE_SECONDS = 30
const RENEW_MS = 15_000

interface Watch<State> {
  state: State
  /** Waiting requests. */
  wakes: Set<() => void>
  askedAtMs: number
  sentAtMs: number
}

/**
 * Live views of agents linked to this process. Viewers poll for data newer than theirs, and polling keeps the stream
 * alive: the first request starts it, later ones renew it, and it stops when they end. Several viewers share one
 * stream.
 */
export class LiveViews<State> implements Disposable {
  /** Requests data from an agent for this many seconds; 0 stops it. Returns false if it is not linked to this process. */
  #renew: (agentId: string, seconds: number) => boolean
  #begin: () => State
  #watches = new Map<string, Watch<State>>()
  #timer: NodeJS.Timeout | undefined

  constructor(renew: (agentId: string, seconds: number) => boolean, begin: () => State) {
    this.#renew = renew
    this.#begin = begin
  }

  get size(): number {
    return this.#watches.size
  }

  find(agentId: string): State | undefined {
    return this.#watches.get(agentId)?.state
  }

  /** Returns the state once `hasNews` returns true, or after a while. Undefined = the agent is not linked here. */
  async next(agentId: string, hasNews: (state: State) => boolean): Promise<State | undefined> {
    const watch = this.#watches.get(agentId) ?? {
      state: this.#begin(),
      wakes: new Set(),
      askedAtMs: 0,
      sentAtMs: -RENEW_MS,
    }
    watch.askedAtMs = performance.now()
    if (watch.askedAtMs - watch.sentAtMs >= RENEW_MS) {
      if (!this.#renew(agentId, LEASE_SECONDS)) return undefined
      watch.sentAtMs = watch.askedAtMs
    }
    this.#watches.set(agentId, watch)
    this.#timer ??= setInterval(() => this.#endUnwatched(), GRACE_MS / 3)
    if (!hasNews(watch.state)) await waitFor(watch)
    watch.askedAtMs = performance.now()
    return watch.state
  }

  /** Called on news of an agent. */
  wake(agentId: string): void {
    for (const wake of this.#watches.get(agentId)?.wakes ?? []) wake()
  }

  /** The link is lost. The stream is requested again over the next one. */
  drop(agentId: string): void {
    const watch = this.#watches.get(agentId)
    this.#watches.delete(agentId)
    for (const wake of watch?.wakes ?? []) wake()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const agentId of this.#watches.keys()) this.drop(agentId)
  }

  #endUnwatched(): void {
    const beforeMs = performance.now() - GRACE_MS
    for (const [agentId, watch] of this.#watches) {
      if (watch.wakes.size > 0 || watch.askedAtMs > beforeMs) continue
      this.#watches.delete(agentId)
      this.#renew(agentId, 0)
    }
    if (this.#watches.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

async function waitFor({ wakes }: Pick<Watch<unknown>, 'wakes'>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, WAIT_MS)
  wakes.add(resolve)
  await promise
  clearTimeout(timer)
  wakes.delete(resolve)
}
