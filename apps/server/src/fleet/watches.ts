/** How long a question waits for the next news. Shorter than a question to another process may take. */
const WAIT_MS = 3000
/** Nobody looks any more when nobody has asked for so long. */
const GRACE_MS = 3000
/** The machine stops by itself after this, should this server not live to tell it. */
const LEASE_SECONDS = 30
const RENEW_MS = 15_000

interface Watch<State> {
  state: State
  /** Questions that wait. */
  wakes: Set<() => void>
  askedAtMs: number
  toldAtMs: number
}

/**
 * Machines of this process that somebody looks at. Whoever looks asks for what is newer than what he has, and that he
 * asks is what keeps it going: a machine is told to begin with the first question, told again now and then, and told
 * to stop when the questions end. Several who look share one stream.
 */
export class Watches<State> implements Disposable {
  /** Tells a machine for how long to go on; false = it is not linked to this process. */
  #tell: (agentId: string, seconds: number) => boolean
  #begin: () => State
  #watches = new Map<string, Watch<State>>()
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (agentId: string, seconds: number) => boolean, begin: () => State) {
    this.#tell = tell
    this.#begin = begin
  }

  get size(): number {
    return this.#watches.size
  }

  find(agentId: string): State | undefined {
    return this.#watches.get(agentId)?.state
  }

  /** The state once `hasNews` says so, or as it is after a while; undefined = the machine is not linked here. */
  async next(agentId: string, hasNews: (state: State) => boolean): Promise<State | undefined> {
    const watch = this.#watches.get(agentId) ?? {
      state: this.#begin(),
      wakes: new Set(),
      askedAtMs: 0,
      toldAtMs: -RENEW_MS,
    }
    watch.askedAtMs = performance.now()
    if (watch.askedAtMs - watch.toldAtMs >= RENEW_MS) {
      if (!this.#tell(agentId, LEASE_SECONDS)) return undefined
      watch.toldAtMs = watch.askedAtMs
    }
    this.#watches.set(agentId, watch)
    this.#timer ??= setInterval(() => this.#endUnwatched(), GRACE_MS / 3)
    if (!hasNews(watch.state)) await waitFor(watch)
    watch.askedAtMs = performance.now()
    return watch.state
  }

  /** There is news of a machine. */
  wake(agentId: string): void {
    for (const wake of this.#watches.get(agentId)?.wakes ?? []) wake()
  }

  /** The link of a machine is lost: with the next one it is told anew. */
  forget(agentId: string): void {
    const watch = this.#watches.get(agentId)
    this.#watches.delete(agentId)
    for (const wake of watch?.wakes ?? []) wake()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const agentId of this.#watches.keys()) this.forget(agentId)
  }

  #endUnwatched(): void {
    const beforeMs = performance.now() - GRACE_MS
    for (const [agentId, watch] of this.#watches) {
      if (watch.wakes.size > 0 || watch.askedAtMs > beforeMs) continue
      this.#watches.delete(agentId)
      this.#tell(agentId, 0)
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
