import type { Report } from '@muster/contract/agent/link'
import { SecretFilter } from '@muster/rules/text/safe-text'

/** Keeps only the last characters of a byte stream. */
export class TailText {
  #decoder = new TextDecoder()
  #text = ''
  #limit: number
  #filter: SecretFilter

  /** Secrets are hidden here and in the results of `take` and `end`. */
  constructor(limit: number, secrets: readonly string[] = []) {
    this.#limit = limit
    this.#filter = new SecretFilter(secrets)
  }

  /** Returns the decoded text. An incomplete character is returned with the next bytes. */
  take(bytes: Buffer): string {
    const text = this.#filter.take(this.#decoder.decode(bytes, { stream: true }))
    this.#text += text
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit)
    return text
  }

  /** Returns the text that was held back. */
  end(): string {
    const rest = this.#filter.take(this.#decoder.decode()) + this.#filter.end()
    this.#text += rest
    return rest
  }

  get text(): string {
    return this.#text.slice(-this.#limit)
  }
}

const FLUSH_AFTER_MS = 50
const FLUSH_FROM_CHARS = 32 * 1024
/** A program that alternates its streams would create a report per line. Beyond this number they are merged. */
const MAX_SEGMENTS = 16
const MAX_TEXT_CHARS = 250_000

export type OutputStream = 'stdout' | 'stderr'
export type OutputReport = Extract<Report, { kind: 'output' }>

/**
 * Converts the output of one run to reports: a few at a time, without splitting characters, at most `capBytes` of
 * both streams together. Further bytes are only counted, so memory does not grow with the output. Secrets are hidden
 * before they leave the machine.
 */
export class OutputReports {
  #historyId: number
  #left: number
  #emit: (report: OutputReport) => void
  #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  #filters: Record<OutputStream, SecretFilter>
  #segments: { stream: OutputStream; text: string }[] = []
  #chars = 0
  #chunk = 0
  #timer: NodeJS.Timeout | undefined
  cutBytes = 0

  constructor(options: {
    historyId: number
    capBytes: number
    secrets?: readonly string[] | undefined
    emit: (report: OutputReport) => void
  }) {
    this.#historyId = options.historyId
    this.#left = options.capBytes
    this.#emit = options.emit
    const { secrets = [] } = options
    this.#filters = { stdout: new SecretFilter(secrets), stderr: new SecretFilter(secrets) }
  }

  take(stream: OutputStream, bytes: Buffer): void {
    const keyValues = bytes.subarray(0, this.#left)
    this.#left -= keyValues.byteLength
    this.cutBytes += bytes.byteLength - keyValues.byteLength
    if (keyValues.byteLength === 0) return
    this.#add(stream, this.#filters[stream].take(this.#decoders[stream].decode(keyValues, { stream: true })))
    if (this.#chars >= FLUSH_FROM_CHARS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS)
  }

  /** Sends the rest when everything has been read, with a replacement for an incomplete character. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const filter = this.#filters[stream]
      const last = this.cutBytes === 0 ? this.#decoders[stream].decode() : ''
      this.#add(stream, filter.take(last) + filter.end())
    }
    this.flush()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const segments = this.#segments.length > MAX_SEGMENTS ? joinByStream(this.#segments) : this.#segments
    this.#segments = []
    this.#chars = 0
    for (const { stream, text } of segments) {
      for (let start = 0; start < text.length; start += MAX_TEXT_CHARS) {
        this.#chunk += 1
        this.#emit({
          kind: 'output',
          history_id: this.#historyId,
          chunk: this.#chunk,
          stream,
          text: text.slice(start, start + MAX_TEXT_CHARS),
        })
      }
    }
  }

  #add(stream: OutputStream, text: string): void {
    if (text === '') return
    const last = this.#segments.at(-1)
    if (last?.stream === stream) last.text += text
    else this.#segments.push({ stream, text })
    this.#chars += text.length
  }
}

function joinByStream(segments: { stream: OutputStream; text: string }[]): typeof segments {
  return (['stdout', 'stderr'] as const).map((stream) => ({
    stream,
    text: segments
      .filter((segment) => segment.stream === stream)
      .map(({ text }) => text)
      .join(''),
  }))
}
