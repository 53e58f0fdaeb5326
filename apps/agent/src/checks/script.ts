import { MAX_METRICS, Metric } from '@muster/contract/agent/checks'
import { MAX_SCRIPT_OUTPUT } from './check-scripts.ts'
import type { CheckKind } from './table.ts'
import { TailText } from '../run/output-reports.ts'
import { MeasureError } from '../errors.ts'

/** Time beyond the script's own limit, to start it and to end its processes. */
const AROUND_MS = 20_000

export const script: CheckKind<'script'> = {
  limitMs: ({ settings }) => settings.timeout_seconds * 1000 + AROUND_MS,
  async measure({ settings }, { scripts, signal }) {
    if (settings.problem !== undefined) throw new MeasureError(settings.problem)
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

/** A longer line is no metric. It is dropped while it is read. */
const MAX_LINE = 200
const LINE = /^metric ([A-Za-z0-9_.-]{1,64})=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?: +(\S{1,16}))?$/

/** Reads `metric name=value [unit]` lines from a stream of text. For duplicate names the last value wins. */
export class MetricLines {
  #found = new Map<string, Metric>()
  #line = ''
  #isTooLong = false

  take(text: string): void {
    const pieces = text.split('\n')
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#endLine()
      if (this.#isTooLong) continue
      this.#line += piece.slice(0, MAX_LINE + 1)
      this.#isTooLong = this.#line.length > MAX_LINE
    }
  }

  end(): Metric[] {
    this.#endLine()
    return [...this.#found.values()]
  }

  #endLine(): void {
    const metric = this.#isTooLong ? undefined : readMetric(this.#line.trim())
    this.#line = ''
    this.#isTooLong = false
    if (metric === undefined) return
    if (this.#found.has(metric.name) || this.#found.size < MAX_METRICS) this.#found.set(metric.name, metric)
  }
}

function readMetric(line: string): Metric | undefined {
  const [, name, value, unit = ''] = LINE.exec(line) ?? []
  const metric = Metric.safeParse({ name, value: Number(value), unit })
  return metric.success ? metric.data : undefined
}
