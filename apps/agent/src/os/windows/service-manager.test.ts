import { expect, test } from 'vitest'
import { GivenStructure } from '../../testing/given-structure.ts'
import { decodeConfig, decodeServices } from './service-manager.ts'

test('an array of services, with names in any script', () => {
  const { buffer, address } = new GivenStructure(2 * 56)
    .pointer(0, 'Spooler')
    .pointer(8, 'Druckwarteschlange')
    .number(16, 0x110)
    .number(20, 4)
    .number(44, 2280)
    .pointer(56, 'xhost')
    .pointer(64, '印刷 \u{1f5a8}')
    .number(76, 1)
  expect(decodeServices(buffer, 2, address)).toEqual([
    { name: 'Spooler', displayName: 'Druckwarteschlange', state: 4, pid: 2280 },
    { name: 'xhost', displayName: '印刷 \u{1f5a8}', state: 1, pid: 0 },
  ])
})

test('a configuration, also one without an account or with a pointer that leads elsewhere', () => {
  const given = new GivenStructure(64)
    .number(4, 2)
    .pointer(16, String.raw`"C:\Program Files\Müster\x.exe" --service`)
    .pointer(48, String.raw`NT AUTHORITY\LocalService`)
  expect(decodeConfig(given.buffer, given.address)).toEqual({
    startType: 2,
    path: String.raw`"C:\Program Files\Müster\x.exe" --service`,
    account: String.raw`NT AUTHORITY\LocalService`,
  })
  given.large(48, 0n).large(16, given.address + 1_000_000n)
  expect(decodeConfig(given.buffer, given.address)).toMatchObject({ path: '', account: '' })
})
