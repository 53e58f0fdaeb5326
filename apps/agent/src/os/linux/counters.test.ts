import { expect, test } from 'vitest'
import { parseDiskStats, parseNetDev, readLinuxCounters } from './counters.ts'

test('bytes of whole disks are counted once, without partitions and virtual disks', () => {
  const text = `
   7       0 loop0 56 0 2216 34 0 0 0 0 0 36 34 0 0 0 0 0 0
 254       0 vda 1000 20 4000 300 500 40 8000 900 0 700 1200 0 0 0 0 0 0
 254       1 vda1 900 20 3900 290 500 40 8000 900 0 700 1190 0 0 0 0 0 0
 259       0 nvme0n1 10 0 100 1 10 0 200 1 0 2 2 0 0 0 0 0 0
 259       1 nvme0n1p1 10 0 100 1 10 0 200 1 0 2 2 0 0 0 0 0 0
 253       0 dm-0 900 0 3900 290 540 0 8000 900 0 700 1190 0 0 0 0 0 0`
  expect(parseDiskStats(text)).toEqual({ read: 4100 * 512, written: 8200 * 512 })
})

test('only real network interfaces are counted', () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5000 10 0 0 0 0 0 0 5000 10 0 0 0 0 0 0
  eth0: 1200 10 0 0 0 0 0 0 3400 12 0 0 0 0 0 0
docker0:99 1 0 0 0 0 0 0 99 1 0 0 0 0 0 0
 wlan0:1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0`
  expect(parseNetDev(text)).toEqual({ received: 1201, sent: 3402 })
})

test('this machine reports its counters', async () => {
  const counters = await readLinuxCounters()
  expect(counters.memoryPercent).toBeGreaterThan(0)
  expect(counters.memoryPercent).toBeLessThan(100)
  expect(counters.cpu.total).toBeGreaterThan(counters.cpu.busy)
  expect(counters.load).toBeGreaterThanOrEqual(0)
  expect(counters.disks.map(({ mount }) => mount)).toContain('/')
})
