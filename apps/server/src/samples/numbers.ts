import { type ByteReader, type ByteWriter, MAX_EXACT } from './bytes.ts'

/**
 * A column of numbers. Most have few decimals: scaled to integers, neighbours differ little and the differences are
 * short. If that is not exact, each number is XORed with the previous one, and zero bytes at both ends are omitted.
 */
const MAX_DECIMALS = 9
const XOR = 0xff
/** Added to the decimals if runs of equal values are encoded: see runs.ts. */
const WITH_RUNS = 0x40
const POWERS = Array.from({ length: MAX_DECIMALS + 1 }, (_, decimals) => 10 ** decimals)

/** Returns the number of decimals that represents all values exactly, or undefined if nine are not enough. */
export function findDecimals(values: Iterable<number>): number | undefined {
  let decimals = 0
  for (const value of values) {
    while (!isExact(value, decimals)) {
      decimals += 1
      if (decimals > MAX_DECIMALS) return undefined
    }
  }
  // A large first value may not be exact with the decimals of later ones.
  for (const value of values) if (!isExact(value, decimals)) return undefined
  return decimals
}

/** Rounds to one decimal more than the values have, which keeps means short. */
export function roundMean(mean: number, decimals: number | undefined): number {
  if (decimals === undefined) return mean
  const scale = power(Math.min(decimals + 1, MAX_DECIMALS))
  return Math.round(mean * scale) / scale
}

export function writeNumbers(writer: ByteWriter, values: readonly number[]): void {
  const decimals = findDecimals(values)
  if (decimals === undefined) {
    writer.byte(XOR)
    return writeXored(writer, values)
  }
  const scale = power(decimals)
  let before = 0
  const steps = values.map((value) => {
    const whole = Math.round(value * scale)
    const step = whole - before
    before = whole
    return step
  })
  if (haveRuns(steps)) {
    writer.byte(decimals + WITH_RUNS)
    return writeRuns(writer, steps)
  }
  writer.byte(decimals)
  for (const step of steps) writer.signed(step)
}

export function readNumbers(reader: ByteReader, count: number): number[] {
  const head = reader.byte()
  if (head === XOR) return readXored(reader, count)
  const scale = power(head % WITH_RUNS)
  const steps =
    head >= WITH_RUNS ? readRuns(reader, count) : Array.from({ length: count }, () => reader.signed())
  let whole = 0
  return steps.map((step) => {
    whole += step
    return whole / scale
  })
}

function isExact(value: number, decimals: number): boolean {
  const scale = power(decimals)
  const whole = Math.round(value * scale)
  // Negative zero is a distinct value without an integer form.
  return Math.abs(whole) <= MAX_EXACT && whole / scale === value && !Object.is(value, -0)
}

function power(decimals: number): number {
  const scale = POWERS[decimals]
  if (scale === undefined) throw new Error('stored samples have an unknown format')
  return scale
}

function writeXored(writer: ByteWriter, values: readonly number[]): void {
  const before = new DataView(new ArrayBuffer(8))
  const now = new DataView(new ArrayBuffer(8))
  for (const value of values) {
    now.setFloat64(0, value)
    const bytes = Array.from({ length: 8 }, (_, at) => now.getUint8(at) ^ before.getUint8(at))
    const first = bytes.findIndex((byte) => byte !== 0)
    const start = first < 0 ? 8 : first
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1
    writer.byte(start * 16 + Math.max(end, start))
    for (const byte of bytes.slice(start, end)) writer.byte(byte)
    before.setFloat64(0, value)
  }
}

function readXored(reader: ByteReader, count: number): number[] {
  const view = new DataView(new ArrayBuffer(8))
  return Array.from({ length: count }, () => {
    const head = reader.byte()
    const end = Math.min(head % 16, 8)
    for (let at = Math.floor(head / 16); at < end; at += 1)
      view.setUint8(at, view.getUint8(at) ^ reader.byte())
    return view.getFloat64(0)
  })
}

/**
 * Integers with many zeros: measured values and intervals rarely change. A run of zeros is written as one 0 and its
 * length.
 */
export function writeRuns(writer: ByteWriter, wholes: readonly number[]): void {
  let at = 0
  for (;;) {
    const whole = wholes[at]
    if (whole === undefined) return
    writer.signed(whole)
    at += 1
    if (whole !== 0) continue
    const first = at
    while (wholes[at] === 0) at += 1
    writer.whole(at - first)
  }
}

export function readRuns(reader: ByteReader, count: number): number[] {
  const wholes: number[] = []
  while (wholes.length < count) {
    const whole = reader.signed()
    wholes.push(whole)
    if (whole !== 0) continue
    const more = reader.whole()
    if (more > count - wholes.length) throw new Error('stored samples have an endless run')
    for (let at = 0; at < more; at += 1) wholes.push(0)
  }
  return wholes
}

/** Whether runs are shorter than plain values: a single zero takes two bytes. */
export function haveRuns(wholes: readonly number[]): boolean {
  let saved = 0
  for (const [at, whole] of wholes.entries()) {
    if (whole !== 0) continue
    saved += wholes[at - 1] === 0 ? 1 : -1
  }
  return saved > 0
}
