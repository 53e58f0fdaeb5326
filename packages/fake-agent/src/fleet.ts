import type { AgentFacts } from '@muster/contract/agent/facts'
import { Clock } from './clock.ts'
import { enrolMachine } from './enrol.ts'
import { makeFacts } from './facts.ts'
import type { FleetCore, FleetCounts } from './fleet-core.ts'
import { importPublicKey } from './identity.ts'
import { FakeMachine } from './machine.ts'
import { planRun } from './play-run.ts'
import { Random } from './random.ts'

export interface FleetOptions {
  /** Address of the server: http://127.0.0.1:8420 */
  server: string
  /** Enrolment token, or one per machine: a token selects a site. */
  token: string | ((index: number) => string)
  count: number
  /** The same seed creates the same machines, which re-attach. */
  seed?: number
  /** Change reports per second, of all machines together. */
  reportsPerSecond?: number
  /** Check results per second, of all machines with checks together. */
  checkResultsPerSecond?: number
  /** Results per report; 1, as for machines with few checks. */
  checkResultsPerReport?: number
  /** Facts that replace the generated ones. */
  facts?: (index: number) => Partial<AgentFacts>
  /** Installed packages per machine; absent = no software reports. */
  software?: number
  /** Handles commands instead of the small shell of play-run.ts. */
  plan?: FleetCore['plan']
  onProgress?: (enrolled: number) => void
  /** `visit`: each machine reports once and disconnects; it can `connect` later. */
  mode?: 'stay' | 'visit'
}

const ENROL_AT_ONCE = 16
const SILENCE_CHECK_MS = 1000
/** If this process itself was blocked, silence says nothing about the server. */
const HELD_UP_MS = 500

/** Enrols `count` machines and connects each as soon as it is enrolled. Resolves when all are enrolled. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const fleet = new Fleet(options)
  try {
    await fleet.enrol()
  } catch (error) {
    fleet.stop()
    throw error
  }
  return fleet
}

/** Simulated machines in one process: shared timers, keys created on use, one socket each. */
export class Fleet implements Disposable {
  readonly machines: FakeMachine[] = []
  readonly counts: FleetCounts = {
    connected: 0,
    connects: 0,
    reports: 0,
    checkResults: 0,
    commands: 0,
    refusedCommands: 0,
    refusals: 0,
    dialErrors: 0,
    unreadable: 0,
    downloadedBytes: 0,
    mostFailures: 0,
  }
  /** Change reports per second, of all machines together; may be changed at any time. */
  reportsPerSecond: number
  /** Check results per second, of all machines together; may be changed at any time. */
  checkResultsPerSecond: number
  /** Results per report. */
  checkResultsPerReport: number
  lastDialError = ''
  lastRefusal = ''
  #options: FleetOptions
  #clock = new Clock()
  #random: Random
  #startedMs = Date.now()
  #core: FleetCore | undefined
  #waiters = new Set<() => void>()
  #owedReports = 0
  #nextReporter = 0
  #owedResults = 0
  #nextChecker = 0
  #silenceMs = 0

  constructor(options: FleetOptions) {
    this.#options = options
    this.reportsPerSecond = options.reportsPerSecond ?? 0
    this.checkResultsPerSecond = options.checkResultsPerSecond ?? 0
    this.checkResultsPerReport = options.checkResultsPerReport ?? 1
    this.#random = new Random(this.seed ^ 0x5bd1e995)
    this.#clock.onTick((elapsedMs) => {
      this.#reportSome(elapsedMs)
      this.#reportChecks(elapsedMs)
      this.#checkSilence(elapsedMs)
    })
  }

  get seed(): number {
    return this.#options.seed ?? 1
  }

  async enrol(): Promise<void> {
    const { count, onProgress } = this.#options
    let next = 0
    let enrolled = 0
    const work = async () => {
      while (next < count) {
        await this.#enrolOne(next++)
        enrolled += 1
        onProgress?.(enrolled)
      }
    }
    await Promise.all(Array.from({ length: Math.min(ENROL_AT_ONCE, count) }, work))
    this.machines.sort((a, b) => a.index - b.index)
  }

  /** Waits until this many machines (default: all) are connected. */
  async waitForConnected(count = this.#options.count, timeoutMs = 240_000): Promise<void> {
    if (this.counts.connected >= count) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (this.counts.connected >= count) resolve()
    }
    this.#waiters.add(look)
    const takeBack = this.#clock.after(timeoutMs, () =>
      reject(new Error(`${this.counts.connected} of ${count} machines connected. ${this.describeTrouble()}`)),
    )
    try {
      await promise
    } finally {
      takeBack()
      this.#waiters.delete(look)
    }
  }

  /** Resets `counts.mostFailures`. */
  resetFailures(): void {
    this.counts.mostFailures = 0
    for (const machine of this.machines) machine.resetFailures()
  }

  describeTrouble(): string {
    return [this.lastRefusal, this.lastDialError].filter((text) => text !== '').join('; ')
  }

  stop(): void {
    this.#clock[Symbol.dispose]()
    for (const machine of this.machines) machine.disconnect()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  async #enrolOne(index: number): Promise<void> {
    const { server, token, facts } = this.#options
    const answer = await enrolMachine({
      server,
      token: typeof token === 'string' ? token : token(index),
      seed: this.seed,
      index,
      facts: { ...makeFacts(this.seed, index, this.#startedMs), ...facts?.(index) },
    })
    this.#core ??= this.#makeCore(answer.command_key)
    const machine = new FakeMachine(this.#core, index, answer.agent_id)
    this.machines.push(machine)
    if (this.#options.mode === 'visit') await machine.visit()
    else machine.connect()
  }

  #makeCore(commandKey: string): FleetCore {
    return {
      seed: this.seed,
      startedMs: this.#startedMs,
      linkUrl: new URL(this.#options.server).origin.replace(/^http/, 'ws'),
      clock: this.#clock,
      random: this.#random,
      counts: this.counts,
      commandKey: importPublicKey(commandKey),
      seenNonces: new Set(),
      overrideFacts: this.#options.facts,
      software: this.#options.software,
      plan: this.#options.plan ?? planRun,
      noteConnected: () => {
        for (const look of this.#waiters) look()
      },
      noteDialError: (error) => {
        this.counts.dialErrors += 1
        // A refused connection to a name with two addresses has only a code.
        this.lastDialError = error.message || String(Reflect.get(error, 'code'))
      },
      noteRefusal: (message) => {
        this.counts.refusals += 1
        this.lastRefusal = message
      },
    }
  }

  /** Spreads reports evenly over time and over the connected machines. */
  #reportSome(elapsedMs: number): void {
    const perSecond = this.reportsPerSecond
    if (perSecond === 0 || this.counts.connected === 0) return
    this.#owedReports = Math.min(perSecond, this.#owedReports + (perSecond * elapsedMs) / 1000)
    for (let tried = 0; this.#owedReports >= 1 && tried < this.machines.length; tried++) {
      const machine = this.machines[this.#nextReporter++ % this.machines.length]
      if (machine?.state !== 'up') continue
      machine.reportChange()
      this.#owedReports -= 1
    }
  }

  /** The same for check results; machines without checks are skipped. */
  #reportChecks(elapsedMs: number): void {
    const perSecond = this.checkResultsPerSecond
    if (perSecond === 0 || this.counts.connected === 0) return
    const perReport = this.checkResultsPerReport
    this.#owedResults = Math.min(perSecond, this.#owedResults + (perSecond * elapsedMs) / 1000)
    for (let idle = 0; this.#owedResults >= 1 && idle < this.machines.length;) {
      const machine = this.machines[this.#nextChecker++ % this.machines.length]
      const count = Math.min(perReport, Math.floor(this.#owedResults))
      const reported = machine?.state === 'up' ? machine.reportChecks(count) : 0
      this.#owedResults -= reported
      idle = reported === 0 ? idle + 1 : 0
    }
  }

  #checkSilence(elapsedMs: number): void {
    this.#silenceMs += elapsedMs
    if (this.#silenceMs < SILENCE_CHECK_MS) return
    this.#silenceMs = 0
    if (elapsedMs > HELD_UP_MS) return
    const nowMs = Date.now()
    for (const machine of this.machines) machine.checkSilence(nowMs)
  }
}
