import { randomUUID } from 'node:crypto'
import type { Report } from '@muster/contract/agent/link'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Outbox } from '../state/outbox.ts'
import type { RunRecord } from '../state/run-records.ts'
import { OutputPipes } from './output-pipes.ts'
import { OutputReports } from './output-reports.ts'
import { Places } from './places.ts'
import {
  describeEnd,
  describePreparation,
  describeStartFailure,
  NOTHING_RAN,
  stopped,
  type Outcome,
  type Stop,
} from './run-outcome.ts'
import type { PreparedRun } from './prepare-script.ts'
import type { RunJournal } from './run-journal.ts'
import { startProcess, type RunningProcess } from './run-process.ts'
import { StandbyShell } from './standby-shell.ts'

/** Runs at one time; further ones are accepted and wait. */
const MAX_AT_ONCE = 32
const RESUME_EVERY_MS = 50
/** A process that no signal ends (it hangs in the kernel) must not keep its run open for ever. */
const GIVE_UP_AFTER_MS = 3000

export interface RunOrder {
  historyId: number
  nonce: string
  timeoutSeconds: number
  outputCapBytes: number
  /** Hidden in the output. */
  secrets?: readonly string[] | undefined
  /** Says what to start, and writes files for it; they are removed by its disposal. Throws RunRefused. */
  prepare: () => Promise<PreparedRun>
}

interface ActiveRun {
  order: RunOrder
  marker: string
  stop: Stop | undefined
  process: RunningProcess | undefined
  killing: Promise<void> | undefined
  isHeldBack: boolean
  /** Resolves when the result has been reported. */
  ended: Promise<void>
}

/**
 * Commands and scripts at work. Each goes accepted, started, output, result; every step is on disk before the
 * server hears of it, and exactly one result is reported whatever happens, also for a run that the agent's own end
 * interrupted.
 */
export class Runs implements AsyncDisposable {
  #os: Os
  #log: Log
  #outbox: Outbox
  #journal: RunJournal
  #pipes: OutputPipes
  #standby: StandbyShell
  #active = new Map<number, ActiveRun>()
  #places = new Places(MAX_AT_ONCE)
  /** False while there is no link: then nothing is gained by making programs wait. */
  isLinked = false

  constructor(options: { os: Os; log: Log; outbox: Outbox; journal: RunJournal; pipeFolder: string }) {
    this.#os = options.os
    this.#log = options.log
    this.#outbox = options.outbox
    this.#journal = options.journal
    this.#pipes = new OutputPipes({ folder: options.pipeFolder, log: options.log })
    this.#standby = new StandbyShell({ pipes: this.#pipes, log: options.log })
  }

  /** Runs of which the server will still hear: at work, or with reports that it has not acknowledged. */
  listActive(): number[] {
    return [...new Set([...this.#active.keys(), ...this.#outbox.listRuns()])]
  }

  isActive(historyId: number): boolean {
    return this.#active.has(historyId)
  }

  find(historyId: number): RunRecord | undefined {
    return this.#journal.find(historyId)
  }

  /** Ends what an earlier process of this agent left behind, and says so. */
  async endInterrupted(): Promise<void> {
    for (const record of this.#journal.listOpen()) {
      this.#log.info({ history_id: record.historyId }, 'run was interrupted by a restart of the agent')
      this.#journal.writeResult(record, {
        outcome: 'failed',
        reason:
          record.state === 'running'
            ? 'The agent restarted while this ran.'
            : 'The agent restarted before this could run.',
        ...NOTHING_RAN,
      })
      await this.#os.killTree(0, record.marker)
    }
  }

  /** Takes an order. It must be part of the transaction that remembers its nonce. */
  accept(order: RunOrder): void {
    // The transaction may be done twice; the run starts once.
    const begun = this.#active.get(order.historyId)
    const run: ActiveRun = begun ?? {
      order,
      marker: randomUUID(),
      stop: undefined,
      process: undefined,
      killing: undefined,
      isHeldBack: false,
      ended: Promise.resolve(),
    }
    this.#journal.writeAccepted(recordOf(run))
    if (begun !== undefined) return
    this.#active.set(order.historyId, run)
    // When the transaction, which is synchronous, has ended.
    run.ended = Promise.resolve().then(() => this.#perform(run))
  }

  /** Ends a run, or sees to it that one which has not come yet never starts. */
  cancel(historyId: number): void {
    const run = this.#active.get(historyId)
    if (run !== undefined) return this.#stop(run, { outcome: 'cancelled', reason: 'It was cancelled.' })
    if (this.#journal.find(historyId) !== undefined) return
    const record = { historyId, nonce: '', marker: '', state: 'ended', result: null } as const
    this.#journal.writeResult(record, {
      outcome: 'cancelled',
      reason: 'It was cancelled before it started.',
      ...NOTHING_RAN,
    })
  }

  /** Tells again what became of a run whose command was delivered again. */
  repeatState(record: RunRecord): void {
    this.#journal.repeatState(record)
  }

  /** Ends every run because the agent ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#active.values()]
    for (const run of runs)
      this.#stop(run, { outcome: 'failed', reason: 'The agent was stopped while this ran.' })
    await Promise.all(runs.map(({ ended }) => ended))
    this.#standby[Symbol.dispose]()
    this.#pipes[Symbol.dispose]()
  }

  async #perform(run: ActiveRun): Promise<void> {
    await this.#places.take()
    const { historyId } = run.order
    try {
      const outcome = run.stop === undefined ? await this.#performOne(run) : stopped(run.stop)
      this.#journal.writeResult(recordOf(run), outcome)
    } catch (cause) {
      this.#log.error({ history_id: historyId, cause }, 'run failed unexpectedly')
      this.#journal.writeResult(recordOf(run), {
        outcome: 'failed',
        reason: `The run failed: ${describeError(cause)}`,
        ...NOTHING_RAN,
      })
    } finally {
      this.#active.delete(historyId)
      this.#places.give()
      // When the result is on its way.
      if (this.#active.size === 0) setTimeout(() => void this.#standby.prepare(), 0)
    }
  }

  async #performOne(run: ActiveRun): Promise<Outcome> {
    let prepared: Awaited<ReturnType<RunOrder['prepare']>>
    try {
      prepared = await run.order.prepare()
    } catch (cause) {
      return describePreparation(cause)
    }
    using files = prepared
    if (run.stop !== undefined) return stopped(run.stop)
    const output = this.#collectOutput(run)
    const began = performance.now()
    try {
      const ready = this.#standby.take(files.plan, run.marker)
      run.process = await startProcess({
        plan: files.plan,
        marker: run.marker,
        pipes: ready?.pipes ?? (await this.#pipes.take(files.plan.user)),
        child: ready?.child,
        os: this.#os,
        onOutput: (stream, bytes) => output.take(stream, bytes),
      })
    } catch (cause) {
      return describeStartFailure(cause, files.plan.program)
    }
    this.#journal.writeStarted(recordOf(run))
    // Stopped while it was being started.
    if (run.stop !== undefined) this.#kill(run, run.process)
    const timer = setTimeout(() => this.#timeOut(run), run.order.timeoutSeconds * 1000)
    const end = await run.process.ended
    clearTimeout(timer)
    await run.killing
    output.end()
    const execution_time = Math.round(performance.now() - began) / 1000
    const told = describeEnd(run.stop, end, files.why)
    return { ...told, execution_time, output_cut_bytes: output.cutBytes }
  }

  #collectOutput(run: ActiveRun): OutputReports {
    const { historyId, outputCapBytes, secrets } = run.order
    return new OutputReports({
      historyId,
      capBytes: outputCapBytes,
      secrets,
      emit: (report: Report) => {
        this.#outbox.append(report)
        this.#holdBack(run)
      },
    })
  }

  #timeOut(run: ActiveRun): void {
    const seconds = run.order.timeoutSeconds
    const reason = `It was ended because it took longer than ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
    this.#stop(run, { outcome: 'timed_out', reason })
  }

  #stop(run: ActiveRun, stop: Stop): void {
    if (run.stop !== undefined) return
    run.stop = stop
    if (run.process !== undefined) this.#kill(run, run.process)
  }

  #kill(run: ActiveRun, { resume, kill, giveUp }: RunningProcess): void {
    resume()
    run.killing ??= kill()
      .catch((cause: unknown) =>
        this.#log.error({ history_id: run.order.historyId, cause }, 'run cannot be ended'),
      )
      .finally(() => setTimeout(giveUp, GIVE_UP_AFTER_MS).unref())
  }

  /** With a link, a program that writes faster than the server takes it has to wait; without one it goes on. */
  #holdBack(run: ActiveRun): void {
    if (run.isHeldBack || !this.#mustWait(run)) return
    run.isHeldBack = true
    run.process?.pause()
    const timer = setInterval(() => {
      if (this.#mustWait(run)) return
      clearInterval(timer)
      run.isHeldBack = false
      run.process?.resume()
    }, RESUME_EVERY_MS)
  }

  #mustWait(run: ActiveRun): boolean {
    return this.isLinked && this.#outbox.isCongested && run.stop === undefined
  }
}

function recordOf({ order: { historyId, nonce }, marker }: ActiveRun): RunRecord {
  return { historyId, nonce, marker, state: 'waiting', result: null }
}
