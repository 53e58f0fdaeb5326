import { AgentFacts } from '@muster/contract/agent/facts'
import { describeError, type Log } from '../log/log.ts'
import type { Problems } from '../problems.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import { type Facts, findChangedFacts } from './changed-facts.ts'

const MAX_ITEMS: Partial<Record<keyof AgentFacts, number>> = {
  cpus: 64,
  graphics: 16,
  disks: 128,
  physical_disks: 128,
  addresses: 256,
  problems: 20,
}

/** Fits facts to the contract: cuts lists to their limits and drops invalid facts. */
export function fitFacts(facts: Facts, log: Log): Facts {
  const fitting: [string, unknown][] = []
  for (const [key, value] of Object.entries(facts)) {
    const limit = MAX_ITEMS[key as keyof AgentFacts] // An unknown key has no limit and is refused below.
    const cut = Array.isArray(value) && limit !== undefined ? value.slice(0, limit) : value
    const parsed = AgentFacts.partial().safeParse({ [key]: cut })
    if (parsed.success) fitting.push(...Object.entries(parsed.data))
    else
      log.warn(
        { key, detail: parsed.error.issues[0]?.message },
        'dropped a fact that does not fit the contract',
      )
  }
  return Object.fromEntries(fitting)
}

const QUICK_EVERY_MS = 60_000
const SLOW_EVERY_MS = 3_600_000
const PROBLEMS_AFTER_MS = 200

export interface FactsOptions {
  readQuick: () => Promise<Facts>
  /** `signal` aborts when the agent stops. */
  readSlow: (signal: AbortSignal) => Promise<Facts>
  agentVersion: string
  outbox: Outbox
  kept: Kept
  problems: Problems
  log: Log
  quickEveryMs?: number
}

/**
 * Reports the facts of this machine: all of them when a link comes up, later only changes. Without a link nothing is
 * collected or queued, because the next link reports everything anyway.
 */
export class FactsReporter implements Disposable {
  #options: FactsOptions
  #known: Facts = {}
  #told: Facts = {}
  #isLinked = false
  /** Above 0 while a full report is being collected. */
  #held = 0
  #quickTimer: NodeJS.Timeout | undefined
  #slowTimer: NodeJS.Timeout | undefined
  #problemsTimer: NodeJS.Timeout | undefined
  #quickRun: Promise<void> | undefined
  #slowRun: Promise<void> | undefined
  #stop = new AbortController()

  constructor(options: FactsOptions) {
    this.#options = options
    const lastUser = options.kept.find('last_user')
    if (lastUser !== undefined) this.#known.last_logged_in_user = lastUser
    options.problems.onChange(() => this.#tellProblemsSoon())
  }

  /** Reports all known facts at once, and the others as soon as they are read. */
  onLinkUp(): void {
    this.#options.outbox.dropFacts()
    this.#told = {}
    this.#isLinked = true
    void this.refreshQuick()
    if (this.#slowTimer === undefined) void this.#refreshSlow()
    this.#quickTimer ??= setInterval(
      () => void this.refreshQuick(),
      this.#options.quickEveryMs ?? QUICK_EVERY_MS,
    )
    this.#slowTimer ??= setInterval(() => void this.#refreshSlow(), SLOW_EVERY_MS)
  }

  onLinkDown(): void {
    this.#isLinked = false
    clearInterval(this.#quickTimer)
    this.#quickTimer = undefined
  }

  /** Reads all facts again and reports them in one report, changed or not. */
  async refreshAll(): Promise<void> {
    this.#held += 1
    await Promise.all([this.refreshQuick(), this.#refreshSlow()])
    this.#held -= 1
    this.#told = {}
    this.#tell()
  }

  /** Reads the quick facts and reports changes. */
  refreshQuick(): Promise<void> {
    this.#quickRun ??= this.#collect('quick', this.#options.readQuick).finally(
      () => (this.#quickRun = undefined),
    )
    return this.#quickRun
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    this.onLinkDown()
    clearInterval(this.#slowTimer)
    clearTimeout(this.#problemsTimer)
  }

  #refreshSlow(): Promise<void> {
    this.#slowRun ??= this.#collect('slow', () => this.#options.readSlow(this.#stop.signal)).finally(
      () => (this.#slowRun = undefined),
    )
    return this.#slowRun
  }

  async #collect(speed: 'quick' | 'slow', read: () => Promise<Facts>): Promise<void> {
    const { problems, log } = this.#options
    try {
      const facts = fitFacts(await read(), log)
      // A user who signed out is still the last user.
      if (facts.last_logged_in_user === null) delete facts.last_logged_in_user
      if (facts.logged_in_user) facts.last_logged_in_user = facts.logged_in_user
      this.#keepLastUser(facts)
      this.#known = { ...this.#known, ...facts }
      problems.set(`${speed} facts`, null)
    } catch (cause) {
      if (this.#stop.signal.aborted) return
      log.warn({ speed, cause }, 'failed to collect facts')
      problems.set(
        `${speed} facts`,
        `Failed to collect some facts of this machine: ${describeError(cause).slice(0, 200)}`,
      )
    }
    this.#tell()
  }

  #keepLastUser(facts: Facts): void {
    const user = facts.last_logged_in_user
    if (user && user !== this.#known.last_logged_in_user) this.#options.kept.save('last_user', user)
  }

  #tellProblemsSoon(): void {
    this.#problemsTimer ??= setTimeout(() => {
      this.#problemsTimer = undefined
      this.#tell()
    }, PROBLEMS_AFTER_MS)
  }

  #tell(): void {
    if (!this.#isLinked || this.#held > 0) return
    const { problems, agentVersion, outbox } = this.#options
    const now: Facts = { ...this.#known, agent_version: agentVersion, problems: problems.list() }
    const facts = findChangedFacts(this.#told, now)
    if (Object.keys(facts).length === 0) return
    this.#told = { ...this.#told, ...facts }
    outbox.append({ kind: 'facts', facts })
  }
}
