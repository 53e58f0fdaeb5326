import type { Report } from '@muster/contract/agent/link'
import { leftOutLine, MAX_LEFT_OUT_CHARACTERS, OutputEnds } from '@muster/rules/text/output-ends'
import { SecretFilter } from '@muster/rules/text/safe-text'
import { formatFileSize } from '@muster/rules/text/units'

/** Keeps the first and the last characters of a byte stream. */
export class OutputText {
  #decoder = new TextDecoder()
  #ends: OutputEnds
  #filter: SecretFilter

  /** Secrets are hidden here and in the results of `take` and `end`. */
  constructor(limit: number, secrets: readonly string[] = []) {
    this.#ends = new OutputEnds(limit)
    this.#filter = new SecretFilter(secrets)
  }

  /** Returns the decoded text. An incomplete character is returned with the next bytes. */
  take(bytes: Buffer): string {
    return this.#keep(this.#filter.take(this.#decoder.decode(bytes, { stream: true })))
  }

  /** Returns the text that was held back. */
  end(): string {
    return this.#keep(this.#filter.take(this.#decoder.decode()) + this.#filter.end())
  }

  get text(): string {
    return this.#ends.text
  }

  #keep(text: string): string {
    this.#ends.take(text)
    return text
  }
}

const FLUSH_AFTER_MS = 50
const FLUSH_FROM_CHARS = 32 * 1024
/** A program that alternates its streams would create a report per line. Beyond this number they are merged. */
const MAX_SEGMENTS = 16
const MAX_TEXT_CHARS = 250_000

export type OutputStream = 'stdout' | 'stderr'
export type OutputReport = Extract<Report, { kind: 'output' }>
const STREAMS = ['stdout', 'stderr'] as const

/** Parts of the limit of a run. A stream gets more only as long as the other one does not need it. */
const SHARE = { stdout: 3 / 4, stderr: 1 / 4 }
/** Part of a stream's share that is reported while the program runs. */
const FIRST_PART = 2 / 3

/**
 * Converts the output of one run to reports: a few at a time, without splitting characters, at most `capBytes` of
 * both streams together. The first part of each stream is reported at once, the last one when the run has ended, and
 * what was between them is counted. Bytes are those of the text after secrets are hidden, as the server counts them:
 * it would cut the end of anything longer.
 */
export class OutputReports {
  #historyId: number
  #room: number
  #emit: (report: OutputReport) => void
  #streams: Record<OutputStream, KeptStream>
  #segments: { stream: OutputStream; text: string }[] = []
  #chars = 0
  #chunk = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: {
    historyId: number
    capBytes: number
    secrets?: readonly string[] | undefined
    emit: (report: OutputReport) => void
  }) {
    this.#historyId = options.historyId
    this.#emit = options.emit
    this.#room = Math.max(0, options.capBytes - STREAMS.length * MAX_LEFT_OUT_CHARACTERS)
    const { secrets = [] } = options
    this.#streams = {
      stdout: openStream(SHARE.stdout * this.#room, secrets),
      stderr: openStream(SHARE.stderr * this.#room, secrets),
    }
  }

  get cutBytes(): number {
    return this.#streams.stdout.cutBytes + this.#streams.stderr.cutBytes
  }

  take(stream: OutputStream, bytes: Buffer): void {
    const { decoder, filter } = this.#streams[stream]
    this.#keep(stream, filter.take(decoder.decode(bytes, { stream: true })))
    if (this.#chars >= FLUSH_FROM_CHARS) this.flush()
    else if (this.#chars > 0) this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS)
  }

  /** Sends the rest when everything has been read, with a replacement for an incomplete character. */
  end(): void {
    for (const stream of STREAMS) {
      const { decoder, filter } = this.#streams[stream]
      this.#keep(stream, filter.take(decoder.decode()) + filter.end())
    }
    for (const stream of STREAMS) {
      const { cutBytes, firstEnd, last } = this.#streams[stream]
      if (cutBytes > 0) this.#add(stream, leftOutLine(firstEnd, formatFileSize(cutBytes)))
      this.#add(stream, last.text)
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
      for (let start = 0, end = 0; start < text.length; start = end) {
        end = start + MAX_TEXT_CHARS
        // Both halves of a surrogate pair belong to one report.
        if (end < text.length && isSecondHalf(text.charCodeAt(end))) end -= 1
        this.#chunk += 1
        this.#emit({
          kind: 'output',
          history_id: this.#historyId,
          chunk: this.#chunk,
          stream,
          text: text.slice(start, end),
        })
      }
    }
  }

  #keep(stream: OutputStream, written: string): void {
    const kept = this.#streams[stream]
    // The server stores a NUL as this character, which has three bytes.
    const text = written.replaceAll('\0', '\uFFFD')
    const start = takeStart(text, kept.firstLeft)
    kept.firstLeft = start.text.length === text.length ? kept.firstLeft - start.bytes : 0
    kept.firstBytes += start.bytes
    kept.firstEnd = start.text.slice(-1) || kept.firstEnd
    this.#add(stream, start.text)
    if (start.text.length === text.length) return
    kept.last.add(text.slice(start.text.length))
    this.#keepBounds()
  }

  /** Drops the oldest bytes of the last part of a stream with more than its share. */
  #keepBounds(): void {
    for (const stream of STREAMS) {
      const { share, last, firstBytes } = this.#streams[stream]
      const excess = this.#keptBytes - this.#room
      const above = firstBytes + last.bytes - share
      if (excess > 0 && above > 0) this.#streams[stream].cutBytes += last.drop(Math.min(excess, above))
    }
  }

  get #keptBytes(): number {
    return STREAMS.reduce((sum, stream) => {
      const { firstBytes, last } = this.#streams[stream]
      return sum + firstBytes + last.bytes
    }, 0)
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

type KeptStream = ReturnType<typeof openStream>

function openStream(share: number, secrets: readonly string[]) {
  return {
    decoder: new TextDecoder(),
    filter: new SecretFilter(secrets),
    share: Math.floor(share),
    /** Bytes that may still be reported at once. */
    firstLeft: Math.floor(FIRST_PART * share),
    firstBytes: 0,
    /** Last character of the first part. */
    firstEnd: '',
    last: new LastBytes(),
    cutBytes: 0,
  }
}

const isSecondHalf = (code: number) => code >= 0xdc_00 && code <= 0xdf_ff

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The longest start of a text with at most this many bytes. */
function takeStart(text: string, maxBytes: number): { text: string; bytes: number } {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { text, bytes }
  const { read, written } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  return { text: text.slice(0, read), bytes: written }
}

const MAX_BYTES_PER_UNIT = 3
const MIN_BUFFER_BYTES = 64 * 1024

/** The end of a text as UTF-8, in one buffer that grows up to twice of what is kept. */
class LastBytes {
  #buffer = new Uint8Array()
  #start = 0
  #end = 0

  get bytes(): number {
    return this.#end - this.#start
  }

  get text(): string {
    return decoder.decode(this.#buffer.subarray(this.#start, this.#end))
  }

  add(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES_PER_UNIT)
    this.#end += encoder.encodeInto(text, this.#buffer.subarray(this.#end)).written
  }

  /** Drops at least this many of the oldest bytes, and no part of a character. Returns how many. */
  drop(bytes: number): number {
    const before = this.#start
    this.#start = Math.min(this.#end, before + bytes)
    while (this.#start < this.#end && isContinued(this.#buffer[this.#start])) this.#start += 1
    return this.#start - before
  }

  #makeRoom(bytes: number): void {
    if (this.#buffer.length - this.#end >= bytes) return
    const kept = this.#buffer.subarray(this.#start, this.#end)
    const needed = 2 * kept.length + bytes
    const buffer = this.#buffer.length >= needed ? this.#buffer : new Uint8Array(needed + MIN_BUFFER_BYTES)
    buffer.set(kept)
    this.#buffer = buffer
    this.#end = kept.length
    this.#start = 0
  }
}

/** 10xxxxxx continues a character. */
const isContinued = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80
