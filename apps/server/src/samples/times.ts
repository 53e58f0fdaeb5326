import type { ByteReader, ByteWriter } from './bytes.ts'
import { haveRuns, readRuns, writeRuns } from './runs.ts'

/** Says that one of these follows: chunks of before began with the count, and nobody stored none. */
const HEAD = 0
const WITH_RUNS = 1
const EACH = 2

/** Rising whole numbers: how much each step differs from the one before it. */
export function writeTimes(writer: ByteWriter, times: readonly number[]): void {
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

/** `before`: what chunks that were written before times had a head hold. */
export function readTimes(reader: ByteReader, before: 'steps' | 'steps of steps'): number[] {
  const oldCount = reader.whole()
  if (oldCount !== HEAD) {
    const steps = readEach(reader, oldCount)
    return sumsOf(before === 'steps' ? steps : sumsOf(steps))
  }
  const form = reader.byte()
  if (form !== WITH_RUNS && form !== EACH) throw new Error('stored samples have an unknown form')
  const count = reader.whole()
  return sumsOf(sumsOf(form === WITH_RUNS ? readRuns(reader, count) : readEach(reader, count)))
}

const readEach = (reader: ByteReader, count: number) => Array.from({ length: count }, () => reader.signed())

function sumsOf(steps: readonly number[]): number[] {
  let sum = 0
  return steps.map((step) => (sum += step))
}
