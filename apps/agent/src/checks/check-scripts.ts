import type { measureSettings } from '@muster/contract/agent/checks'
import type { z } from 'zod'
import type { BackgroundRuns, RunEnd } from '../run/background-runs.ts'
import type { OutputStream } from '../run/output-reports.ts'
import { prepareScript, type RunContext } from '../run/prepare-run.ts'
import { RunError, NotMeasuredError } from '../errors.ts'

export const MAX_SCRIPT_OUTPUT = 10_000

type ScriptSettings = z.infer<(typeof measureSettings)['script']>

export type ScriptEnd = RunEnd & { outcome: 'exited' | 'timed_out' | 'failed' }

export class CheckScripts {
  #runs: BackgroundRuns
  #context: RunContext

  constructor(options: { runs: BackgroundRuns; context: RunContext }) {
    this.#runs = options.runs
    this.#context = options.context
  }

  async run(
    settings: ScriptSettings,
    options: { signal: AbortSignal; onOutput: (stream: OutputStream, bytes: Buffer) => void },
  ): Promise<ScriptEnd> {
    try {
      const prepare = () =>
        prepareScript({ ...settings, run_as_user: settings.run_as_user ?? null }, this.#context)
      const end = await this.#runs.run(prepare, {
        ...options,
        timeoutSeconds: settings.timeout_seconds,
        stop: () => ({ outcome: 'failed', reason: 'The check was removed while it ran.' }),
      })
      // A check knows neither `cancelled` nor `refused`; those are outcomes of commands.
      const outcome = end.outcome === 'exited' || end.outcome === 'timed_out' ? end.outcome : 'failed'
      return { ...end, outcome }
    } catch (cause) {
      if (cause instanceof RunError) throw new NotMeasuredError(cause.message)
      throw cause
    }
  }
}
