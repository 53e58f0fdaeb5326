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

/** The text of one stream, or of both in order of arrival. */
export function outputText({ segments }: Output, stream?: OutputStream): string {
  return segments
    .filter((segment) => stream === undefined || segment.stream === stream)
    .map(({ text }) => text)
    .join('')
}

// CSI, OSC and similar, character sets, single ones: ECMA-48 as terminals implement it.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are searched on purpose
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()*+#%][0-9A-Za-z]|\u001b[0-9=>@-Z\\^_a-z]/g
// oxlint-disable-next-line no-control-regex -- as above
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[()*+#%])?$/
// oxlint-disable-next-line no-control-regex -- all but tab, line feed and carriage return
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
/** A longer sequence without an end is treated as text. */
const MAX_SEQUENCE = 1024

function stripSequences(text: string): { plain: string; rest: string } {
  const stripped = text.includes('\u001b') ? text.replaceAll(SEQUENCES, '') : text
  const at = UNFINISHED.exec(stripped)?.index ?? stripped.length
  const isPlausible = stripped.length - at <= MAX_SEQUENCE
  const plain = isPlausible ? stripped.slice(0, at) : stripped
  return { plain: plain.replaceAll(CONTROLS, ''), rest: isPlausible ? stripped.slice(at) : '' }
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
