import { expect, test } from 'vitest'
import { GivenStructure } from '../../testing/given-structure.ts'
import { decodePageFiles, sumInterfaces } from './counters.ts'
import { decodeDisk, decodePerformance } from './physical-disks.ts'

test('page files are added up, and none are no swap', () => {
  const { buffer } = new GivenStructure(80)
    .number(0, 40)
    .number(4, 1_048_576)
    .number(8, 262_144)
    .number(44, 524_288)
    .number(48, 0)
  expect(decodePageFiles({ buffer })).toEqual({ totalBytes: 6 * 1024 ** 3, freeBytes: 5 * 1024 ** 3 })
  expect(decodePageFiles({ buffer: Buffer.alloc(64) })).toBeNull()
})

/** Rows of MIB_IF_TABLE2. */
function givenInterfaces(rows: { type: number; flags: number; received: bigint; sent: bigint }[]): Buffer {
  const table = new GivenStructure(8 + rows.length * 1352).number(0, rows.length)
  for (const [index, { type, flags, received, sent }] of rows.entries()) {
    const at = 8 + index * 1352
    table.number(at + 1128, type).number(at + 1152, flags)
    table.large(at + 1208, received).large(at + 1280, sent)
  }
  return table.buffer
}

test('network cards count once, without the filters on them, tunnels and loopback', () => {
  const loopback = { type: 24, flags: 0, received: 5n, sent: 5n }
  const card = { type: 6, flags: 0x5, received: 10_000_000_000n, sent: 2000n }
  const filter = { type: 6, flags: 0x2, received: 10_000_000_000n, sent: 2000n }
  const tunnel = { type: 131, flags: 0, received: 300n, sent: 30n }
  expect(sumInterfaces(givenInterfaces([loopback, card, filter, tunnel, card]), 5)).toEqual({
    received: 20_000_000_000,
    sent: 4000,
  })
  expect(sumInterfaces(givenInterfaces([loopback, filter, tunnel]), 3)).toEqual({ received: 300, sent: 30 })
  expect(sumInterfaces(givenInterfaces([]), 0)).toEqual({ received: 0, sent: 0 })
})

test('bytes, size, model, serial number and kind of a disk', () => {
  const performance = new GivenStructure(88).large(0, 123_456_789_012n).large(8, 987n)
  expect(decodePerformance(performance.buffer)).toEqual({ read: 123_456_789_012, written: 987 })
  const geometry = new GivenStructure(64).large(24, 512_110_190_592n).buffer
  const descriptor = Buffer.alloc(256)
  for (const [at, to] of [
    [12, 100],
    [16, 120],
    [24, 160],
  ] as const)
    descriptor.writeUInt32LE(to, at)
  descriptor.writeUInt32LE(17, 28)
  descriptor.write('ACME    \0', 100, 'latin1')
  descriptor.write('SSD 970\0', 120, 'latin1')
  descriptor.write('  S4EWNX0\0', 160, 'latin1')
  const disk = { index: 1, geometry, descriptor, penalty: undefined }
  expect(decodeDisk(disk)).toEqual({
    name: 'ACME SSD 970',
    size: 512_110_190_592,
    type: 'NVMe',
    serial: 'S4EWNX0',
  })
  descriptor.writeUInt32LE(11, 28)
  const penalty = Buffer.alloc(12)
  expect(decodeDisk({ ...disk, penalty }).type).toBe('SSD')
  penalty[8] = 1
  expect(decodeDisk({ ...disk, penalty, descriptor: undefined })).toEqual({
    name: 'PhysicalDrive1',
    size: 512_110_190_592,
    type: 'HDD',
    serial: '',
  })
})
