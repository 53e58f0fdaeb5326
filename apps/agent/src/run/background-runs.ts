import { randomUUID } from 'node:crypto'
import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { KeyValueStore } from '../state/state.ts'
import { ProcessMarkers } from './process-markers.ts'
import { OutputPipes } from './output-pipes.ts'
import type { OutputStream } from './output-reports.ts'
import type { PreparedRun } from './prepare-run.ts'
import { describeEnd, describeStartFailure, type Outcome, type Stop } from './run-outcome.ts'
import { startProcess, type ProcessPlan, type RunningProcess } from './run-process.ts'

/** A process that no signal ends must not keep its run open forever. */
const GIVE_UP_AFTER_MS = 3000

export type RunEnd = Pick<Outcome, 'outcome' | 'reason' | 'retcode'> & { seconds: number }

interface RunOptions {
  /** Ends the run; `stop` then returns the reason. */
  signal: AbortSignal
  stop: () => Stop
  onOutput: (stream: OutputStream, bytes: Buffer) => void
}

/** Runs the processes of checks and tasks like commands: with the same environment, limits and cleanup. */
export class BackgroundRuns implements Disposable {
  #os: Os
  #log: Log
  #pipes: OutputPipes
  #markers: ProcessMarkers

  /** `name`: the key under which the process markers are stored. */
  constructor(options: { name: string; os: Os; log: Log; keyValues: KeyValueStore; pipeFolder: string }) {
    this.#os = options.os
    this.#log = options.log
    this.#markers = new ProcessMarkers(options)
    this.#pipes = new OutputPipes({ folder: options.pipeFolder, log: options.log })
  }

  /** Ends processes that an earlier process of this agent left behind. */
  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  /** Runs the prepared process until it ends. Throws RunError if this machine cannot run it. */
  async run(
    prepare: () => Promise<PreparedRun>,
    options: RunOptions & { timeoutSeconds: number },
  ): Promise<RunEnd> {
    const marker = randomUUID()
    this.#markers.add(marker)
    try {
      using prepared = await prepare()
      return await this.#perform(prepared.plan, { ...options, marker })
    } finally {
      this.#markers.delete(marker)
    }
  }

  [Symbol.dispose](): void {
    this.#pipes[Symbol.dispose]()
  }

  async #perform(
    plan: ProcessPlan,
    options: RunOptions & { marker: string; timeoutSeconds: number },
  ): Promise<RunEnd> {
    const { signal, onOutput, marker, timeoutSeconds, stop: whyStopped } = options
    const began = performance.now()
    let running: RunningProcess
    try {
      const pipes = await this.#pipes.take(plan.user)
      running = await startProcess({ plan, marker, pipes, os: this.#os, onOutput })
    } catch (cause) {
      const { reason } = describeStartFailure(cause, plan.program)
      return { outcome: 'failed', retcode: null, reason, seconds: 0 }
    }
    let stop: Stop | undefined
    let killing: Promise<void> | undefined
    const end = (why: Stop) => {
      stop ??= why
      killing ??= this.#kill(running)
    }
    const onAbort = () => end(whyStopped())
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    const timer = setTimeout(
      () =>
        end({
          outcome: 'timed_out',
          reason: `Timed out after ${timeoutSeconds} s.`,
        }),
      timeoutSeconds * 1000,
    )
    const processEnd = await running.ended
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await killing
    const seconds = Math.round(performance.now() - began) / 1000
    return { ...describeEnd(stop, processEnd), seconds }
  }

  async #kill({ kill, giveUp }: RunningProcess): Promise<void> {
    try {
      await kill()
    } catch (cause) {
      this.#log.error({ cause }, 'failed to end a run')
    } finally {
      setTimeout(giveUp, GIVE_UP_AFTER_MS).unref()
    }
  }
}
