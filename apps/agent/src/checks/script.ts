import {
  MAX_BAD_METRIC_LINES,
  MAX_METRIC_LINE,
  MAX_METRICS,
  type Measured,
  Metric,
} from '@muster/contract/agent/checks'
import { shownLine } from '@muster/rules/text/escape-sequences'
import { keepEnds } from '@muster/rules/text/output-ends'
import { MAX_SCRIPT_OUTPUT } from './check-scripts.ts'
import type { CheckKind } from './table.ts'
import { OutputText } from '../run/output-reports.ts'
import { MeasureError } from '../errors.ts'

/** Time beyond the script's own limit, to start it and to end its processes. */
const AROUND_MS = 20_000

export const script: CheckKind<'script'> = {
  limitMs: ({ settings }) => settings.timeout_seconds * 1000 + AROUND_MS,
  async measure({ settings }, { scripts, signal }) {
    if (settings.problem !== undefined) throw new MeasureError(settings.problem)
    const output = {
      stdout: new OutputText(MAX_SCRIPT_OUTPUT, settings.secrets),
      stderr: new OutputText(MAX_SCRIPT_OUTPUT, settings.secrets),
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
      stderr: end.reason === null ? stderr : keepEnds(`${stderr}\n${end.reason}`.trim(), MAX_SCRIPT_OUTPUT),
      execution_time: end.seconds,
      ...metrics.end(),
    }
  },
}

const NAME = '[A-Za-z0-9_.-]{1,64}'
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+|\d*,\d+)(?:[eE][+-]?\d+)?`
/** Digits and separators behind a number may belong to it: `1.234,5`, `0x10`. */
const JOINED_UNIT = String.raw`[\p{L}%°][\p{L}%°/²³]{0,15}`
const LINE = new RegExp(`^metric (${NAME})=(${NUMBER})(?: +(\\S{1,16})|(${JOINED_UNIT}))?$`, 'u')
const NAMED = new RegExp(`^metric (${NAME}) *=`)
/** 1,500 is either 1.5 or 1500. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2},\d{3}(?!\d)/

type FoundMetrics = Pick<Extract<Measured, { check_type: 'script' }>, 'metrics' | 'bad_metric_lines'>

/**
 * Reads `metric name=value [unit]` lines from a stream of text. For duplicate names the last line wins: if it is no
 * metric, the name has no value.
 */
export class MetricLines {
  #found = new Map<string, Metric>()
  #bad: NonNullable<FoundMetrics['bad_metric_lines']> = []
  #line = ''
  #number = 1
  #isTooLong = false

  take(text: string): void {
    const pieces = text.split('\n')
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#endLine()
      // The rest of a line that is too long is dropped while it is read.
      if (this.#isTooLong) continue
      this.#line += piece.slice(0, MAX_METRIC_LINE + 1)
      this.#isTooLong = this.#line.length > MAX_METRIC_LINE
    }
  }

  end(): FoundMetrics {
    this.#endLine()
    const metrics = [...this.#found.values()]
    return this.#bad.length === 0 ? { metrics } : { metrics, bad_metric_lines: this.#bad }
  }

  #endLine(): void {
    const line = shownLine(this.#line)
    const metric = this.#isTooLong ? undefined : readMetric(line)
    if (metric !== undefined) this.#keep(metric)
    else if (line.startsWith('metric ')) this.#refuse(line)
    this.#line = ''
    this.#number += 1
    this.#isTooLong = false
  }

  #keep(metric: Metric): void {
    if (this.#found.has(metric.name) || this.#found.size < MAX_METRICS) this.#found.set(metric.name, metric)
  }

  #refuse(line: string): void {
    this.#found.delete(NAMED.exec(line)?.[1] ?? '')
    if (this.#bad.length < MAX_BAD_METRIC_LINES)
      this.#bad.push({ line: this.#number, text: line.slice(0, MAX_METRIC_LINE) })
  }
}

function readMetric(line: string): Metric | undefined {
  const [, name, number = '', spaced, joined] = LINE.exec(line) ?? []
  if (AMBIGUOUS.test(number)) return undefined
  const metric = Metric.safeParse({
    name,
    value: Number(number.replace(',', '.')),
    unit: spaced ?? joined ?? '',
  })
  return metric.success ? metric.data : undefined
}
