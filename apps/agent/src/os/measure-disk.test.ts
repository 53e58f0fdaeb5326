import type { StatsFs } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sizesOf } from './disk-calls.ts'
import { measureDisks } from './measure-disk.ts'

const statsOf = (blocks: number): StatsFs => ({
  type: 0,
  bsize: 4096,
  blocks,
  bfree: 300,
  bavail: 250,
  files: 0,
  ffree: 0,
  frsize: 4096,
})
const STATS = statsOf(1000)
/** Measures its own disk, because results are cached by mount. */
const givenDisk = (mount: string) => {
  const mounts = [{ device: '/dev/x', mount, fstype: 'ext4' }]
  return (readStats: () => Promise<StatsFs>) => measureDisks(mounts, readStats)
}
const answers = () => Promise.resolve(STATS)
const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('sizes are those of df', async () => {
  const measure = givenDisk('/sizes')
  expect(await measure(answers)).toEqual([
    expect.objectContaining({ total: 4_096_000, used: 700 * 4096, free: 250 * 4096, percent: 73.7 }),
  ])
})

test('the check of a disk has the sizes of the disk list', async () => {
  const [disk] = await givenDisk('/same')(answers)
  expect(sizesOf(STATS)).toEqual({ total: disk?.total, used: disk?.used, free: disk?.free })
})

test.each([
  ['more free blocks than blocks', { blocks: 10, bfree: 12, bavail: 12 }, [10, 0, 10]],
  ['a full disk', { blocks: 10, bfree: 1, bavail: 0 }, [10, 9, 0]],
  ['a quota of the user', { blocks: 10, bfree: 8, bavail: 2 }, [10, 2, 2]],
])('sizes of %s', (_, stats, [total, used, free]) => {
  expect(sizesOf({ bsize: 1, ...stats })).toEqual({ total, used, free })
})

test('concurrent callers of one disk share one call and its result', async () => {
  const measure = givenDisk('/shared')
  const read = Promise.withResolvers<StatsFs>()
  const readStats = vi.fn(() => read.promise)
  const callers = [measure(readStats), measure(readStats), measure(readStats)]
  read.resolve(STATS)
  for (const disks of await Promise.all(callers)) expect(disks).toHaveLength(1)
  expect(readStats).toHaveBeenCalledTimes(1)
})

test('a call that fails or times out keeps the last sizes', async () => {
  const measure = givenDisk('/flaky')
  const last = await measure(answers)
  expect(await measure(fails('EIO'))).toEqual(last)
  const hanging = measure(() => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(5000)
  expect(last).toHaveLength(1)
  expect(await hanging).toEqual(last)
})

test('a disk that is gone, empty or has never responded is left out', async () => {
  const measure = givenDisk('/usb')
  expect(await measure(fails('EIO'))).toEqual([])
  await measure(answers)
  expect(await measure(fails('ENOENT'))).toEqual([])
  expect(await measure(fails('EIO'))).toEqual([])
  await measure(answers)
  expect(await measure(() => Promise.resolve(statsOf(0)))).toEqual([])
})

test('an unmounted disk is removed', async () => {
  const measure = givenDisk('/once')
  await measure(answers)
  await measureDisks([], answers)
  expect(await measure(fails('EIO'))).toEqual([])
})
