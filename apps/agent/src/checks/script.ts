import { MAX_SCRIPT_OUTPUT } from './check-scripts.ts'
import type { CheckKind } from './check-kind.ts'
import { MetricLines } from './metric-lines.ts'
import { TailText } from './tail-text.ts'
import { Unmeasurable } from './unmeasurable.ts'

/** Beside the time limit of the script: starting it, and ending whatever it started. */
const AROUND_MS = 20_000

export const script: CheckKind<'script'> = {
  limitMs: ({ settings }) => settings.timeout_seconds * 1000 + AROUND_MS,
  async measure({ settings }, { scripts, signal }) {
    if (settings.problem !== undefined) throw new Unmeasurable(settings.problem)
    const output = {
      stdout: new TailText(MAX_SCRIPT_OUTPUT, settings.secrets),
      stderr: new TailText(MAX_SCRIPT_OUTPUT, settings.secrets),
    }
    const metrics = new MetricLines()
    const end = await scripts.run(settings, {
      signal,
      onOutput(stream, bytes) {
        const text = output[stream].take(bytes)
        if (stream === 'stdout') metrics.take(text)
      },
    })
    metrics.take(output.stdout.end())
    output.stderr.end()
    const stderr = output.stderr.text
    return {
      check_type: 'script',
      outcome: end.outcome,
      retcode: end.retcode,
      stdout: output.stdout.text,
      stderr: end.reason === null ? stderr : `${stderr}\n${end.reason}`.trim().slice(-MAX_SCRIPT_OUTPUT),
      execution_time: end.seconds,
      metrics: metrics.end(),
    }
  },
}
