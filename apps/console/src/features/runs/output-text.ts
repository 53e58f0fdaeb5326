import { stripSequences } from '@muster/rules/text/escape-sequences'

export type OutputStream = 'stdout' | 'stderr'

export interface OutputChunk {
  seq: number
  stream: OutputStream
  text: string
}

/** A piece of output as displayed: plain text of one stream. */
export interface OutputSegment {
  stream: OutputStream
  text: string
}

/** Output so far. Never changed in place; all segments but the last stay the same objects. */
export interface Output {
  segments: readonly OutputSegment[]
  lastSeq: number
  /** Per stream: an incomplete escape sequence. */
  unfinished: Readonly<Record<OutputStream, string>>
  /** Per stream: the last character was a carriage return, so the next one overwrites the line. */
  rewound: Readonly<Record<OutputStream, boolean>>
}

export const NO_OUTPUT: Output = {
  segments: [],
  lastSeq: 0,
  unfinished: { stdout: '', stderr: '' },
  rewound: { stdout: false, stderr: false },
}

/** Maximum segment size, so that new output redraws little. */
const SEGMENT_CHARS = 8192

/**
 * Adds output of a machine as plain text: removes escape sequences, and lets a carriage return restart the line as in a
 * terminal, so that progress bars stay on one line.
 */
export function addOutput(before: Output, chunks: readonly OutputChunk[]): Output {
  const fresh = chunks.filter(({ seq }) => seq > before.lastSeq).toSorted((a, b) => a.seq - b.seq)
  const last = fresh.at(-1)
  if (last === undefined) return before
  const unfinished = { ...before.unfinished }
  const rewound = { ...before.rewound }
  const segments = [...before.segments]
  for (const { stream, text } of fresh) {
    const { plain, rest } = stripSequences(unfinished[stream] + text)
    unfinished[stream] = rest
    rewound[stream] = writeLines(segments, { stream, text: plain }, rewound[stream])
  }
  return { segments, lastSeq: last.seq, unfinished, rewound }
}

/** The output of a program that has ended, for an OutputBox. */
export function endedOutput(
  stdout: string,
  stderr: string,
): { text: string; tone: 'negative' | undefined }[] {
  const { segments } = addOutput(NO_OUTPUT, [
    { seq: 1, stream: 'stdout', text: stdout },
    { seq: 2, stream: 'stderr', text: stderr },
  ])
  return segments
    .filter(({ text }) => text !== '')
    .map(({ stream, text }) => ({ text, tone: stream === 'stderr' ? 'negative' : undefined }))
}

/** The text of one stream, or of both in order of arrival. */
export function outputText({ segments }: Output, stream?: OutputStream): string {
  return segments
    .filter((segment) => stream === undefined || segment.stream === stream)
    .map(({ text }) => text)
    .join('')
}

function writeLines(
  segments: OutputSegment[],
  { stream, text }: OutputSegment,
  wasRewound: boolean,
): boolean {
  let isRewound = wasRewound
  for (const [index, part] of text.replaceAll('\r\n', '\n').split('\r').entries()) {
    if (index > 0) isRewound = true
    if (part === '') continue
    if (isRewound && !part.startsWith('\n')) clearLine(segments, stream)
    isRewound = false
    append(segments, stream, part)
  }
  return isRewound
}

function append(segments: OutputSegment[], stream: OutputStream, text: string): void {
  const last = segments.at(-1)
  if (last?.stream === stream && last.text.length + text.length <= SEGMENT_CHARS) {
    segments[segments.length - 1] = { stream, text: last.text + text }
    return
  }
  // Whole lines where they are short enough.
  for (let from = 0; from < text.length;) {
    const lineEnd = text.lastIndexOf('\n', from + SEGMENT_CHARS - 1) + 1
    const end = text.length - from <= SEGMENT_CHARS || lineEnd <= from ? from + SEGMENT_CHARS : lineEnd
    segments.push({ stream, text: text.slice(from, end) })
    from = end
  }
}

function clearLine(segments: OutputSegment[], stream: OutputStream): void {
  const last = segments.at(-1)
  if (last?.stream !== stream) return
  segments[segments.length - 1] = { stream, text: last.text.slice(0, last.text.lastIndexOf('\n') + 1) }
}
