import { randomUUID } from 'node:crypto'
import type { measureSettings } from '@muster/contract/agent/checks'
import type { z } from 'zod'
import { planSurroundings } from '../commands/plan-surroundings.ts'
import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import { planScript } from '../run/interpreters.ts'
import { OutputPipes } from '../run/output-pipes.ts'
import type { OutputStream } from '../run/output-reports.ts'
import { describeEnd, describeStartFailure, type Stop } from '../run/run-outcome.ts'
import { startProcess, type ProcessPlan, type RunningProcess } from '../run/run-process.ts'
import { RunRefused } from '../run/run-refused.ts'
import { writeScriptFile } from '../run/script-file.ts'
import type { Kept } from '../state/kept.ts'
import { Unmeasurable } from './unmeasurable.ts'

export const MAX_SCRIPT_OUTPUT = 10_000
/** A process that no signal ends must not keep its check open for ever. */
const GIVE_UP_AFTER_MS = 3000
const MARKERS = 'check_markers'

type ScriptSettings = z.infer<(typeof measureSettings)['script']>

export interface ScriptEnd {
  outcome: 'exited' | 'timed_out' | 'failed'
  retcode: number | null
  reason: string | null
  seconds: number
}

/** Runs the scripts of checks with what runs commands: the same environment, limits and end of everything below. */
export class CheckScripts implements Disposable {
  #os: Os
  #log: Log
  #kept: Kept
  #dataFolder: string
  #pipes: OutputPipes
  #markers = new Set<string>()

  constructor(options: { os: Os; log: Log; kept: Kept; dataFolder: string; pipeFolder: string }) {
    this.#os = options.os
    this.#log = options.log
    this.#kept = options.kept
    this.#dataFolder = options.dataFolder
    this.#pipes = new OutputPipes({ folder: options.pipeFolder, log: options.log })
  }

  /** Ends what an earlier process of this agent left behind. */
  async endInterrupted(): Promise<void> {
    const left = (this.#kept.find(MARKERS) ?? '').split(' ').filter((marker) => marker !== '')
    if (left.length === 0) return
    this.#log.info({ scripts: left.length }, 'scripts of checks were interrupted by a restart of the agent')
    await Promise.all(left.map((marker) => this.#os.killTree(0, marker)))
    this.#keepMarkers()
  }

  async run(
    settings: ScriptSettings,
    options: { signal: AbortSignal; onOutput: (stream: OutputStream, bytes: Buffer) => void },
  ): Promise<ScriptEnd> {
    const marker = randomUUID()
    this.#markers.add(marker)
    this.#keepMarkers()
    try {
      using prepared = await this.#prepare(settings)
      return await this.#perform(prepared.plan, {
        ...options,
        marker,
        timeoutSeconds: settings.timeout_seconds,
      })
    } catch (cause) {
      if (cause instanceof RunRefused) throw new Unmeasurable(cause.message)
      throw cause
    } finally {
      this.#markers.delete(marker)
      this.#keepMarkers()
    }
  }

  [Symbol.dispose](): void {
    this.#pipes[Symbol.dispose]()
  }

  async #prepare(settings: ScriptSettings): Promise<Disposable & { plan: ProcessPlan }> {
    const surroundings = await planSurroundings({ env_vars: settings.env_vars, run_as_user: null }, this.#os)
    const script = planScript(settings.interpreter, settings.body)
    const file = writeScriptFile({
      dataFolder: this.#dataFolder,
      name: script.fileName,
      body: script.body,
      user: undefined,
    })
    const [program, ...args] = script.command(file.path)
    return {
      plan: { ...surroundings, program, args: [...args, ...settings.args] },
      [Symbol.dispose]: () => file[Symbol.dispose](),
    }
  }

  async #perform(
    plan: ProcessPlan,
    options: {
      signal: AbortSignal
      onOutput: (stream: OutputStream, bytes: Buffer) => void
      marker: string
      timeoutSeconds: number
    },
  ): Promise<ScriptEnd> {
    const { signal, onOutput, marker, timeoutSeconds } = options
    const began = performance.now()
    let running: RunningProcess
    try {
      const pipes = await this.#pipes.take(undefined)
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
    const onAbort = () => end({ outcome: 'failed', reason: 'The check was taken back while it ran.' })
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    const timer = setTimeout(
      () =>
        end({
          outcome: 'timed_out',
          reason: `It was ended because it took longer than ${timeoutSeconds} s.`,
        }),
      timeoutSeconds * 1000,
    )
    const processEnd = await running.ended
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await killing
    const told = describeEnd(stop, processEnd)
    return {
      // Cancelled and refused are words of commands.
      outcome: told.outcome === 'exited' || told.outcome === 'timed_out' ? told.outcome : 'failed',
      retcode: told.retcode,
      reason: told.reason,
      seconds: Math.round(performance.now() - began) / 1000,
    }
  }

  async #kill({ kill, giveUp }: RunningProcess): Promise<void> {
    try {
      await kill()
    } catch (cause) {
      this.#log.error({ cause }, 'script of a check cannot be ended')
    } finally {
      setTimeout(giveUp, GIVE_UP_AFTER_MS).unref()
    }
  }

  /** So that the next process of this agent knows what this one left running. */
  #keepMarkers(): void {
    this.#kept.save(MARKERS, [...this.#markers].join(' '))
  }
}
