import { ByteReader, ByteWriter } from './bytes.ts'
import { haveRuns, readNumbers, readRuns, writeNumbers, writeRuns } from './numbers.ts'
import type { Point, Sample } from './points.ts'

/**
 * The storage format of samples. Times first: a check runs at a nearly constant interval, so the change of each
 * interval is written, mostly zero. Then the values: see numbers.ts.
 */
export function encodeSamples(start: number, samples: readonly Sample[]): Uint8Array {
  const writer = new ByteWriter()
  writeTimes(
    writer,
    samples.map(([at]) => at - start),
  )
  writeNumbers(
    writer,
    samples.map(([, value]) => value),
  )
  return writer.take()
}

export function decodeSamples(start: number, bytes: Uint8Array): Sample[] {
  const reader = new ByteReader(bytes)
  const times = readTimes(reader, 'steps of steps')
  const values = readNumbers(reader, times.length)
  // As many values as times were read.
  return times.map((time, index) => [start + time, values[index]!])
}

/** Points of one resolution. Minimum and maximum are written as distances from the mean. */
export function encodePoints(start: number, seconds: number, points: readonly Point[]): Uint8Array {
  const writer = new ByteWriter()
  writeTimes(
    writer,
    points.map(([at]) => (at - start) / seconds),
  )
  // One column, in which each number is near the previous one.
  writeNumbers(
    writer,
    points.flatMap(([, mean, least, most]) => [least, mean, most]),
  )
  return writer.take()
}

export function decodePoints(start: number, seconds: number, bytes: Uint8Array): Point[] {
  const reader = new ByteReader(bytes)
  const times = readTimes(reader, 'steps')
  const values = readNumbers(reader, times.length * 3)
  // Three values per time were read.
  return times.map((time, index) => [
    start + time * seconds,
    values[index * 3 + 1]!,
    values[index * 3]!,
    values[index * 3 + 2]!,
  ])
}

export interface SeriesSample {
  series: number
  at: number
  value: number
}

/** One report of one machine, with several series. */
export function encodeBatch(samples: readonly SeriesSample[]): Uint8Array {
  const writer = new ByteWriter()
  let before = { series: 0, at: 0 }
  for (const sample of samples) {
    writer.signed(sample.series - before.series)
    writer.signed(sample.at - before.at)
    writeNumbers(writer, [sample.value])
    before = sample
  }
  return writer.take()
}

export function decodeBatch(bytes: Uint8Array): SeriesSample[] {
  const reader = new ByteReader(bytes)
  const samples: SeriesSample[] = []
  let series = 0
  let at = 0
  while (!reader.isAtEnd) {
    series += reader.signed()
    at += reader.signed()
    // Exactly one was requested.
    const [value] = readNumbers(reader, 1) as [number]
    samples.push({ series, at, value })
  }
  return samples
}

/** Marks the newer formats that follow. Older chunks began with the count, which is never 0. */
const HEAD = 0
const WITH_RUNS = 1
const EACH = 2

/** Increasing integers: the change of each step. */
function writeTimes(writer: ByteWriter, times: readonly number[]): void {
  let before = 0
  let step = 0
  const changes = times.map((time) => {
    const change = time - before - step
    step = time - before
    before = time
    return change
  })
  writer.byte(HEAD)
  const withRuns = haveRuns(changes)
  writer.byte(withRuns ? WITH_RUNS : EACH)
  writer.whole(times.length)
  if (withRuns) writeRuns(writer, changes)
  else for (const change of changes) writer.signed(change)
}

/** `before`: what chunks without a header contain. */
function readTimes(reader: ByteReader, before: 'steps' | 'steps of steps'): number[] {
  const oldCount = reader.whole()
  if (oldCount !== HEAD) {
    const steps = readEach(reader, oldCount)
    return sumsOf(before === 'steps' ? steps : sumsOf(steps))
  }
  const form = reader.byte()
  if (form !== WITH_RUNS && form !== EACH) throw new Error('stored samples have an unknown format')
  const count = reader.whole()
  return sumsOf(sumsOf(form === WITH_RUNS ? readRuns(reader, count) : readEach(reader, count)))
}

const readEach = (reader: ByteReader, count: number) => Array.from({ length: count }, () => reader.signed())

function sumsOf(steps: readonly number[]): number[] {
  let sum = 0
  return steps.map((step) => (sum += step))
}
