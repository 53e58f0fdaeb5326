import { describe, expect, test } from 'vitest'
import {
  decodeBatch,
  decodePoints,
  decodeSamples,
  encodeBatch,
  encodePoints,
  encodeSamples,
} from './encoding.ts'
import { mergeSorted, replaceWindow, type Sample, averageInto, downsample } from './points.ts'

/** Deterministic random numbers: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const START = 1_790_000_000 - (1_790_000_000 % 21_600)
const ODD = [
  0,
  -0,
  0.1 + 0.2,
  1 / 3,
  -1e-320,
  5e-324,
  Number.MAX_VALUE,
  -Number.MAX_SAFE_INTEGER,
  2 ** 50,
  -(2 ** 50) - 1,
]
const kinds: Record<string, (random: () => number) => number> = {
  'percents of two digits': (random) => Math.round(random() * 10_000) / 100,
  'a value that hardly changes': (random) => (random() < 0.05 ? 41.27 : 41.26),
  'whole bytes': (random) => Math.floor(random() * 2 ** 45),
  'any doubles': (random) => (random() - 0.5) * 10 ** Math.floor(random() * 600 - 300),
  'odd doubles': (random) => ODD[Math.floor(random() * ODD.length)] ?? 0,
  'digits of both kinds': (random) => (random() < 0.5 ? Math.floor(random() * 2 ** 49) : random()),
}

function samplesOf(kind: (random: () => number) => number, random: () => number, most: number): Sample[] {
  const count = Math.floor(random() * most)
  let at = START + Math.floor(random() * 100)
  return Array.from({ length: count }, () => {
    at += 1 + Math.floor(random() * (random() < 0.02 ? 10_000 : 130))
    return [at, kind(random)]
  })
}

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  test('samples survive a round trip', () => {
    const random = createRandom(7)
    for (let round = 0; round < 300; round += 1) {
      const samples = samplesOf(kind, random, 200)
      expect(decodeSamples(START, encodeSamples(START, samples))).toEqual(samples)
    }
  })

  test('points and batches survive a round trip', () => {
    const random = createRandom(8)
    for (let round = 0; round < 200; round += 1) {
      const samples = samplesOf(kind, random, 300)
      for (const seconds of [300, 3600]) {
        const points = averageInto(samples, seconds)
        expect(decodePoints(START, seconds, encodePoints(START, seconds, points))).toEqual(points)
      }
      const batch = samples.map(([at, value]) => ({ series: Math.floor(random() * 1e6), at, value }))
      expect(decodeBatch(encodeBatch(batch))).toEqual(batch)
    }
  })

  test('a mean lies between minimum and maximum, and thinning keeps both', () => {
    const random = createRandom(9)
    for (let round = 0; round < 100; round += 1) {
      const samples = samplesOf(kind, random, 300)
      const points = averageInto(samples, 300)
      for (const [, mean, least, most] of points) expect(mean >= least && mean <= most).toBe(true)
      const values = samples.map(([, value]) => value)
      const thin = downsample(points, 3600)
      expect(Math.min(...thin.map((point) => point[2]))).toBe(Math.min(...values))
      expect(Math.max(...thin.map((point) => point[3]))).toBe(Math.max(...values))
    }
  })
})

test('samples of a processor take three bytes, of a disk two', () => {
  const random = createRandom(1)
  const of = (value: () => number): Sample[] =>
    Array.from({ length: 180 }, (_, index) => [START + index * 120 + Math.round(random() * 12 - 6), value()])
  const cpu =
    encodeSamples(
      START,
      of(() => Math.round(random() * 4000) / 100),
    ).length / 180
  expect(cpu).toBeLessThan(3.1)
  expect(
    encodeSamples(
      START,
      of(() => 41.26),
    ).length / 180,
  ).toBeLessThan(2.1)
})

test('nearly constant values take almost no space', () => {
  const still = Array.from({ length: 180 }, (_, index): Sample => [START + index * 120, 41.26])
  expect(encodeSamples(START, still).length).toBeLessThan(20)
  const points = averageInto(still, 300)
  expect(encodePoints(START, 300, points).length).toBeLessThan(20)
})

test('chunks in the format without runs can be read', () => {
  // Two samples: the count, the changes of the step, two decimals, the value steps.
  const samples = Uint8Array.of(2, 20, 220, 1, 2, 2, 4)
  expect(decodeSamples(START, samples)).toEqual([
    [START + 10, 0.01],
    [START + 130, 0.03],
  ])
  const points = Uint8Array.of(2, 2, 4, 0, 2, 2, 2, 0, 2, 0)
  expect(decodePoints(START, 300, points)).toEqual([
    [START + 300, 2, 1, 3],
    [START + 900, 4, 3, 4],
  ])
})

test('a repeated sample is stored once, in any order', () => {
  const some: Sample[] = [
    [10, 1],
    [30, 3],
  ]
  const others: Sample[] = [
    [20, 2],
    [30, 3],
  ]
  expect(mergeSorted(some, others)).toEqual([
    [10, 1],
    [20, 2],
    [30, 3],
  ])
})

test('points of a window are replaced, and those around it stay', () => {
  const points = [0, 300, 600, 900].map((start) => [start, 1, 1, 1] as const)
  expect(
    replaceWindow(points, { start: 300, seconds: 600 }, [[600, 2, 2, 2]]).map(([start]) => start),
  ).toEqual([0, 600, 900])
})

test('truncated bytes are an error, not a wrong number', () => {
  const bytes = encodeSamples(START, [
    [START, 1.5],
    [START + 60, 1 / 3],
  ])
  for (let length = 0; length < bytes.length; length += 1) {
    expect(() => decodeSamples(START, bytes.slice(0, length))).toThrow('stored samples')
  }
})
