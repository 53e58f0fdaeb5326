import { expect, test } from 'vitest'
import { describeSid } from './accounts.ts'
import { readSecurityDescriptor } from './security-descriptor.ts'

/** As GetFileSecurityW returns it: the owner is the user 1000; SYSTEM, the user and everyone have access. */
const RECORDED = Buffer.from(
  '010004801400000030000000000000004c000000010500000000000515000000000000000000000000000000e8030000' +
    '010500000000000515000000000000000000000000000000010200000200540003000000' +
    '00001400ff011f00010100000000000512000000' +
    '00002400a9001e00010500000000000515000000000000000000000000000000e8030000' +
    '00001400a9001200010100000000000100000000',
  'hex',
)

test('owner and access list are read from a security descriptor', () => {
  const { owner, entries, inherits } = readSecurityDescriptor(RECORDED)
  expect(owner === undefined ? owner : describeSid(owner)).toBe('S-1-5-21-0-0-0-1000')
  expect(inherits).toBe(true)
  expect(entries?.map((entry) => [describeSid(entry.sid), entry.isAllowed, entry.mask])).toEqual([
    ['S-1-5-18', true, 0x1f_01ff],
    ['S-1-5-21-0-0-0-1000', true, 0x1e_00a9],
    ['S-1-1-0', true, 0x12_00a9],
  ])
})

test('no access list, a protected one, denials and inherited entries are distinguished', () => {
  const none = Buffer.from(RECORDED)
  none.writeUInt32LE(0, 16)
  expect(readSecurityDescriptor(none).entries).toBeUndefined()

  const other = Buffer.from(RECORDED)
  other.writeUInt16LE(0x9004, 2)
  const first = other.readUInt32LE(16) + 8
  other.set([1, 0x1b], first)
  const { entries, inherits } = readSecurityDescriptor(other)
  expect(inherits).toBe(false)
  expect(entries?.[0]).toMatchObject({ isAllowed: false, isInherited: true, inheritance: 11 })
})
