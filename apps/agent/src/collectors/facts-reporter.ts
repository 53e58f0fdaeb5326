import { AgentFacts, LeftOut, type Disk } from '@muster/contract/agent/facts'
import type { z } from 'zod'
import { describeError, type Log } from '../log/log.ts'
import type { Problems } from '../status-file.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'

export type Facts = { [Name in keyof AgentFacts]?: AgentFacts[Name] | undefined }

/** Clock corrections of a few seconds do not mean that the machine rebooted. */
const BOOT_TIME_STEP_SECONDS = 10
/** A disk is reported again when its use changed by this share of its size. */
const DISK_STEP = 0.005

/** Returns the facts of `now` that differ from those reported before. */
export function findChangedFacts(reported: Facts, now: Facts): Facts {
  const changed = Object.entries(now).filter(
    ([key, value]) => value !== undefined && !isSame(key, reported, value),
  )
  return Object.fromEntries(changed)
}

function isSame(key: string, reported: Facts, value: unknown): boolean {
  if (key === 'boot_time' && reported.boot_time !== undefined && typeof value === 'number') {
    return Math.abs(reported.boot_time - value) < BOOT_TIME_STEP_SECONDS
  }
  // Facts are typed by their collectors; this key holds disks.
  if (key === 'disks' && reported.disks !== undefined)
    return areSameDisks(reported.disks, value as z.infer<typeof Disk>[])
  const before: unknown = Reflect.get(reported, key)
  return JSON.stringify(before) === JSON.stringify(value)
}

function areSameDisks(reported: z.infer<typeof Disk>[], now: z.infer<typeof Disk>[]): boolean {
  if (reported.length !== now.length) return false
  return now.every((disk, index) => {
    const before = reported[index]
    if (before === undefined || before.mount !== disk.mount || before.device !== disk.device) return false
    if (before.total !== disk.total || before.fstype !== disk.fstype) return false
    return Math.abs(before.used - disk.used) < disk.total * DISK_STEP
  })
}

const MAX_ITEMS: Partial<Record<keyof AgentFacts, number>> = {
  cpus: 64,
  graphics: 16,
  disks: 128,
  physical_disks: 128,
  addresses: 256,
  problems: 20,
  security: 64,
  guests: 8,
}

/** How many entries `fitFacts` cuts from each of these lists. */
function countLeftOut(facts: Facts): z.infer<typeof LeftOut> {
  const counts = LeftOut.keyof().options.flatMap((name) => {
    const length = facts[name]?.length
    return length === undefined ? [] : [[name, Math.max(0, length - (MAX_ITEMS[name] ?? length))]]
  })
  return Object.fromEntries(counts)
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
const SLOW_AGAIN_AFTER_MS = 60_000
const PROBLEMS_AFTER_MS = 200

export interface FactsOptions {
  readQuick: () => Promise<Facts>
  /** `signal` aborts when the agent stops. */
  readSlow: (signal: AbortSignal) => Promise<Facts>
  agentVersion: string
  outbox: Outbox
  keyValues: KeyValueStore
  problems: Problems
  log: Log
  quickEveryMs?: number
  /** After a failure. */
  slowAgainAfterMs?: number
}

/**
 * Reports the facts of this machine: all of them when a link comes up, later only changes. Without a link nothing is
 * collected or queued, because the next link reports everything anyway.
 */
export class FactsReporter implements Disposable {
  #options: FactsOptions
  /** Empty counts are reported too: they replace those of before the start. */
  #known: Facts = { left_out: {} }
  #reported: Facts = {}
  #isLinked = false
  /** Above 0 while a full report is being collected. */
  #held = 0
  #quickTimer: NodeJS.Timeout | undefined
  #slowTimer: NodeJS.Timeout | undefined
  #slowAgainTimer: NodeJS.Timeout | undefined
  #problemsTimer: NodeJS.Timeout | undefined
  #quickRun: Promise<boolean> | undefined
  #slowRun: Promise<void> | undefined
  #stop = new AbortController()

  constructor(options: FactsOptions) {
    this.#options = options
    const lastUser = options.keyValues.find('last_user')
    if (lastUser !== undefined) this.#known.last_logged_in_user = lastUser
    options.problems.onChange(() => this.#reportProblemsSoon())
  }

  /** Reports all known facts at once, and the others as soon as they are read. */
  onLinkUp(): void {
    this.#options.outbox.dropFacts()
    this.#reported = {}
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
    this.#reported = {}
    this.#report()
  }

  /** Reads the quick facts and reports changes. */
  refreshQuick(): Promise<unknown> {
    this.#quickRun ??= this.#collect('quick', this.#options.readQuick).finally(
      () => (this.#quickRun = undefined),
    )
    return this.#quickRun
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    this.onLinkDown()
    clearInterval(this.#slowTimer)
    clearTimeout(this.#slowAgainTimer)
    clearTimeout(this.#problemsTimer)
  }

  #refreshSlow(): Promise<void> {
    this.#slowRun ??= this.#collectSlow().finally(() => (this.#slowRun = undefined))
    return this.#slowRun
  }

  async #collectSlow(): Promise<void> {
    clearTimeout(this.#slowAgainTimer)
    if (await this.#collect('slow', () => this.#options.readSlow(this.#stop.signal))) return
    if (this.#stop.signal.aborted) return
    const afterMs = this.#options.slowAgainAfterMs ?? SLOW_AGAIN_AFTER_MS
    this.#slowAgainTimer = setTimeout(() => void this.#refreshSlow(), afterMs)
  }

  /** Resolves with whether the facts were read. */
  async #collect(speed: 'quick' | 'slow', read: () => Promise<Facts>): Promise<boolean> {
    const { problems, log } = this.#options
    try {
      const all = await read()
      const { problems: unread = [], ...facts } = fitFacts(all, log)
      this.#countLeftOut(all)
      // A user who signed out is still the last user.
      if (facts.last_logged_in_user === null) delete facts.last_logged_in_user
      if (facts.logged_in_user) facts.last_logged_in_user = facts.logged_in_user
      this.#keepLastUser(facts)
      this.#known = { ...this.#known, ...facts }
      problems.set(`${speed} facts`, unread.length === 0 ? null : unread.join(' '))
      this.#report()
      return true
    } catch (cause) {
      if (this.#stop.signal.aborted) return false
      log.warn({ speed, cause }, 'failed to collect facts')
      problems.set(
        `${speed} facts`,
        `Failed to collect some facts of this machine: ${describeError(cause).slice(0, 200)}`,
      )
      this.#report()
      return false
    }
  }

  #countLeftOut(facts: Facts): void {
    const counts = Object.entries({ ...this.#known.left_out, ...countLeftOut(facts) })
    this.#known.left_out = Object.fromEntries(counts.filter(([, count = 0]) => count > 0))
  }

  #keepLastUser(facts: Facts): void {
    const user = facts.last_logged_in_user
    if (user && user !== this.#known.last_logged_in_user) this.#options.keyValues.save('last_user', user)
  }

  #reportProblemsSoon(): void {
    this.#problemsTimer ??= setTimeout(() => {
      this.#problemsTimer = undefined
      this.#report()
    }, PROBLEMS_AFTER_MS)
  }

  #report(): void {
    if (!this.#isLinked || this.#held > 0) return
    const { problems, agentVersion, outbox } = this.#options
    const now: Facts = { ...this.#known, agent_version: agentVersion, problems: problems.list() }
    const facts = findChangedFacts(this.#reported, now)
    if (Object.keys(facts).length === 0) return
    this.#reported = { ...this.#reported, ...facts }
    outbox.append({ kind: 'facts', facts })
  }
}
