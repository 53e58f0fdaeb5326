import { expect, test } from 'vitest'
import {
  nameOfRegistryType,
  numberOfRegistryType,
  parseBytes,
  readRegistryData,
  showRegistryData,
  writeRegistryData,
} from './registry-value.ts'

const hex = (text: string) => parseBytes(text) ?? new Uint8Array()

test.each([
  ['REG_SZ', '41 00 00 00', { kind: 'text', text: 'A' }, 'A'],
  ['REG_SZ', '41 00', { kind: 'bytes' }, 'A'],
  ['REG_SZ', '41 00 00 00 42', { kind: 'bytes' }, 'A'],
  ['REG_SZ', '', { kind: 'bytes' }, ''],
  ['REG_EXPAND_SZ', '3d d8 00 de 00 00', { kind: 'text', text: '\u{1f600}' }, '\u{1f600}'],
  ['REG_SZ', '00 d8 00 00', { kind: 'text', text: '\ud800' }, '\ud800'],
  ['REG_LINK', '5c 00', { kind: 'text', text: '\\' }, '\\'],
  ['REG_MULTI_SZ', '41 00 00 00 42 00 00 00 00 00', { kind: 'lines', lines: ['A', 'B'] }, 'A\nB'],
  ['REG_MULTI_SZ', '00 00', { kind: 'lines', lines: [] }, ''],
  ['REG_MULTI_SZ', '41 00', { kind: 'bytes' }, 'A'],
  ['REG_DWORD', 'ff ff ff ff', { kind: 'number', number: 4294967295n }, '0xffffffff (4294967295)'],
  ['REG_DWORD', '01', { kind: 'bytes' }, '01'],
  ['REG_DWORD_BIG_ENDIAN', '00 00 01 00', { kind: 'number', number: 256n }, '0x00000100 (256)'],
  [
    'REG_QWORD',
    'ff ff ff ff ff ff ff ff',
    { kind: 'number', number: 18446744073709551615n },
    '0xffffffffffffffff (18446744073709551615)',
  ],
  ['REG_BINARY', '00 ff', { kind: 'bytes' }, '00 ff'],
  ['REG_0x99', '0a', { kind: 'bytes' }, '0a'],
] as const)('%s of %s', (type, bytes, data, shown) => {
  expect(readRegistryData(type, hex(bytes))).toEqual(data)
  expect(showRegistryData(type, hex(bytes))).toBe(shown)
})

test('an incomplete value is marked, and an invalid number has no form', () => {
  expect(showRegistryData('REG_BINARY', hex('01'), false)).toBe('01 ...')
  expect(writeRegistryData('REG_DWORD', { kind: 'number', number: 2n ** 32n })).toBeUndefined()
  expect(writeRegistryData('REG_QWORD', { kind: 'number', number: -1n })).toBeUndefined()
  expect(parseBytes('0A,ff\n00')).toEqual(Uint8Array.from([10, 255, 0]))
  for (const wrong of ['0', 'xx', '0a f', '0x10']) expect(parseBytes(wrong)).toBeUndefined()
})

test('types have names', () => {
  for (const type of [0, 1, 11, 12, 0x12345678])
    expect(numberOfRegistryType(nameOfRegistryType(type))).toBe(type)
  for (const wrong of ['REG_', 'reg_sz', 'REG_0x', 'REG_0x123456789'])
    expect(numberOfRegistryType(wrong)).toBeUndefined()
})
