import type { ByteReader, ByteWriter } from './bytes.ts'

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
