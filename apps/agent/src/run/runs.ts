import { randomUUID } from 'node:crypto'
import type { Report } from '@muster/contract/agent/link'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Outbox } from '../state/outbox.ts'
import type { ResultReport, RunRecord, RunRecords } from '../state/run-records.ts'
import type { State } from '../state/state.ts'
import { OutputPipes } from './output-pipes.ts'
import { OutputReports } from './output-reports.ts'
import { Semaphore } from './semaphore.ts'
import {
  describeEnd,
  describePreparation,
  describeStartFailure,
  NOTHING_RAN,
  type Outcome,
  type Stop,
  stopped,
} from './run-outcome.ts'
import type { PreparedRun } from './prepare-run.ts'
import { type RunningProcess, startProcess } from './run-process.ts'
import { StandbyShell } from './standby-shell.ts'

/** Stores each step of a run and its report in one transaction. */
export class RunJournal {
  #state: State
  #outbox: Outbox
  #records: RunRecords
  #now: () => number

  constructor(options: { state: State; outbox: Outbox; records: RunRecords; now: () => number }) {
    this.#state = options.state
    this.#outbox = options.outbox
    this.#records = options.records
    this.#now = options.now
  }

  find(historyId: number): RunRecord | undefined {
    return this.#records.find(historyId)
  }

  /** Runs that are waiting or running. */
  listOpen(): RunRecord[] {
    return this.#records.listOpen()
  }

  writeAccepted(record: RunRecord): void {
    this.#state.write(() => {
      this.#records.save(record)
      this.#outbox.append({ kind: 'accepted', history_id: record.historyId, at: this.#instant() })
    })
  }

  writeStarted(record: RunRecord): void {
    this.#state.write(() => {
      this.#records.save({ ...record, state: 'running' })
      this.#outbox.append({ kind: 'started', history_id: record.historyId, at: this.#instant() })
    })
  }

  writeResult(record: RunRecord, { reason, ...outcome }: Outcome): void {
    const result: ResultReport = {
      kind: 'result',
      history_id: record.historyId,
      at: this.#instant(),
      ...outcome,
      reason: reason?.slice(0, 2000) ?? null,
    }
    this.#state.write(() => {
      this.#records.save({ ...record, state: 'ended', result })
      this.#outbox.append(result)
    })
  }

  /** Reports the state of a run again when its command is delivered again. */
  repeatState(record: RunRecord): void {
    const history_id = record.historyId
    if (record.result !== null) return this.#outbox.append(record.result)
    this.#outbox.append({ kind: 'accepted', history_id, at: this.#instant() })
    if (record.state === 'running') this.#outbox.append({ kind: 'started', history_id, at: this.#instant() })
  }

  #instant(): string {
    return new Date(this.#now()).toISOString()
  }
}

/** Concurrent runs. Further ones are accepted and wait. */
const MAX_AT_ONCE = 32
const RESUME_EVERY_MS = 50
/** A process that no signal ends (it hangs in the kernel) must not keep its run open forever. */
const GIVE_UP_AFTER_MS = 3000

export interface RunRequest {
  historyId: number
  nonce: string
  timeoutSeconds: number
  outputCapBytes: number
  /** Hidden in the output. */
  secrets?: readonly string[] | undefined
  /** Returns what to start and writes its files, which its disposal removes. Throws RunError. */
  prepare: () => Promise<PreparedRun>
}

interface ActiveRun {
  order: RunRequest
  marker: string
  stop: Stop | undefined
  process: RunningProcess | undefined
  killing: Promise<void> | undefined
  isHeldBack: boolean
  /** Resolves when the result has been reported. */
  ended: Promise<void>
}

/**
 * Active commands and scripts. Each passes accepted, started, output and result. Every step is on disk before it is
 * sent, and exactly one result is reported, also for a run that an exit of the agent interrupted.
 */
export class Runs implements AsyncDisposable {
  #os: Os
  #log: Log
  #outbox: Outbox
  #journal: RunJournal
  #pipes: OutputPipes
  #standby: StandbyShell
  #active = new Map<number, ActiveRun>()
  #slots = new Semaphore(MAX_AT_ONCE)
  /** `false` without a link: blocking programs would not help then. */
  isLinked = false

  constructor(options: { os: Os; log: Log; outbox: Outbox; journal: RunJournal; pipeFolder: string }) {
    this.#os = options.os
    this.#log = options.log
    this.#outbox = options.outbox
    this.#journal = options.journal
    this.#pipes = new OutputPipes({ folder: options.pipeFolder, log: options.log })
    this.#standby = new StandbyShell({ pipes: this.#pipes, log: options.log })
  }

  /** Runs that the server still gets reports for: active, or with unacknowledged reports. */
  listActive(): number[] {
    return [...new Set([...this.#active.keys(), ...this.#outbox.listRuns()])]
  }

  isActive(historyId: number): boolean {
    return this.#active.has(historyId)
  }

  find(historyId: number): RunRecord | undefined {
    return this.#journal.find(historyId)
  }

  /** Ends processes that an earlier process of this agent left behind, and reports their runs. */
  async endInterrupted(): Promise<void> {
    for (const record of this.#journal.listOpen()) {
      this.#log.info({ history_id: record.historyId }, 'run interrupted by a restart of the agent')
      this.#journal.writeResult(record, {
        outcome: 'failed',
        reason:
          record.state === 'running'
            ? 'The agent restarted while this ran.'
            : 'The agent restarted before this ran.',
        ...NOTHING_RAN,
      })
      await this.#os.killTree(0, record.marker)
    }
  }

  /** Must run in the transaction that stores the nonce. */
  accept(order: RunRequest): void {
    // The transaction may be retried; the run starts once.
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
    // Runs after the transaction, which is synchronous.
    run.ended = Promise.resolve().then(() => this.#perform(run))
  }

  /** Ends a run, or prevents the start of one that has not arrived yet. */
  cancel(historyId: number): void {
    const run = this.#active.get(historyId)
    if (run !== undefined) return this.#stop(run, { outcome: 'cancelled', reason: 'Cancelled.' })
    if (this.#journal.find(historyId) !== undefined) return
    const record = { historyId, nonce: '', marker: '', state: 'ended', result: null } as const
    this.#journal.writeResult(record, {
      outcome: 'cancelled',
      reason: 'Cancelled before it started.',
      ...NOTHING_RAN,
    })
  }

  /** Reports the state of a run again when its command is delivered again. */
  repeatState(record: RunRecord): void {
    this.#journal.repeatState(record)
  }

  /** Ends every run when the agent stops. */
  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#active.values()]
    for (const run of runs)
      this.#stop(run, { outcome: 'failed', reason: 'The agent was stopped while this ran.' })
    await Promise.all(runs.map(({ ended }) => ended))
    this.#standby[Symbol.dispose]()
    this.#pipes[Symbol.dispose]()
  }

  async #perform(run: ActiveRun): Promise<void> {
    await this.#slots.take()
    const { historyId } = run.order
    try {
      const outcome = run.stop === undefined ? await this.#performOne(run) : stopped(run.stop)
      this.#journal.writeResult(recordOf(run), outcome)
    } catch (cause) {
      this.#log.error({ history_id: historyId, cause }, 'run failed with an unexpected error')
      this.#journal.writeResult(recordOf(run), {
        outcome: 'failed',
        reason: `The run failed: ${describeError(cause)}`,
        ...NOTHING_RAN,
      })
    } finally {
      this.#active.delete(historyId)
      this.#slots.give()
      // Resolves when the result is queued.
      if (this.#active.size === 0) setTimeout(() => void this.#standby.prepare(), 0)
    }
  }

  async #performOne(run: ActiveRun): Promise<Outcome> {
    let prepared: Awaited<ReturnType<RunRequest['prepare']>>
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
    // Stopped while it was starting.
    if (run.stop !== undefined) this.#kill(run, run.process)
    const timer = setTimeout(() => this.#timeOut(run), run.order.timeoutSeconds * 1000)
    const end = await run.process.ended
    clearTimeout(timer)
    await run.killing
    output.end()
    const execution_time = Math.round(performance.now() - began) / 1000
    const reported = describeEnd(run.stop, end, files.why)
    return { ...reported, execution_time, output_cut_bytes: output.cutBytes }
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
    const reason = `Timed out after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
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
        this.#log.error({ history_id: run.order.historyId, cause }, 'failed to end a run'),
      )
      .finally(() => setTimeout(giveUp, GIVE_UP_AFTER_MS).unref())
  }

  /** With a link, a program that writes faster than the server accepts has to wait. Without a link it continues. */
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
