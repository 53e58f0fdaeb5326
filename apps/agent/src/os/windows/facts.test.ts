import { expect, test } from 'vitest'
import { decodeFirmware, findFirmwareUuid } from './firmware.ts'
import { findSignedInUser } from './hardware.ts'
import { decodeValue } from './registry/read-values.ts'
import { describeProgram } from './software.ts'
import { describeVersion } from './system-facts.ts'

/** A structure of SMBIOS: its fields after the handle, and its texts. */
function entry(type: number, fields: number[], texts: string[]): Buffer {
  const head = Buffer.from([type, fields.length + 4, 0, 0, ...fields])
  return Buffer.concat([head, Buffer.from(texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`, 'latin1')])
}
const firmware = (...entries: Buffer[]) => Buffer.concat([Buffer.alloc(8), ...entries, entry(127, [], [])])
const processor = (status: number) => entry(4, [1, ...Array(19).fill(0), status], ['CPU0'])

test('make, model, serial number and sockets come from the firmware', () => {
  const table = firmware(
    entry(0, [1], ['Some BIOS']),
    entry(1, [1, 2, 0, 3], ['Dell Inc.', 'Latitude 7440', 'ABC1234']),
    processor(0x41),
    processor(0x41),
    processor(0x00),
  )
  expect(decodeFirmware(table)).toEqual({
    make: 'Dell Inc.',
    model: 'Latitude 7440',
    serial_number: 'ABC1234',
    sockets: 2,
  })
})

test('placeholders of the firmware are replaced by those of the board, or left empty', () => {
  const table = firmware(
    entry(1, [1, 2, 0, 3], ['To be filled by O.E.M.', 'System Product Name', 'System Serial Number']),
    entry(2, [1, 2, 0, 3], ['ASUSTeK', 'PRIME B650', 'Default string']),
  )
  expect(decodeFirmware(table)).toEqual({
    make: 'ASUSTeK',
    model: 'PRIME B650',
    serial_number: '',
    sockets: 0,
  })
  const cut = table.subarray(0, 20)
  expect(decodeFirmware(cut)).toMatchObject({ model: '' })
})

test("the machine's UUID is written as Windows writes it", () => {
  const bytes = [...Buffer.from('44454c4c5100104d8053b7c04f4d3332', 'hex')]
  const table = firmware(
    entry(0, [1], ['Some BIOS']),
    entry(1, [1, 2, 0, 3, ...bytes, 6, 0, 0], ['Dell Inc.']),
  )
  expect(findFirmwareUuid(table)).toBe('4c4c4544-0051-4d10-8053-b7c04f4d3332')
  expect(findFirmwareUuid(firmware(entry(1, [1, 2, 0, 3], ['Dell Inc.'])))).toBe('')
})

test('the name and the version of Windows', () => {
  const values = (found: Record<string, string>) => (name: string) => found[name] ?? ''
  const pro = { ProductName: 'Windows 10 Pro', DisplayVersion: '24H2', UBR: '2314' }
  expect(describeVersion({ major: 10, minor: 0, build: 26_100 }, values(pro))).toEqual({
    os_name: 'Windows 11 Pro',
    os_version: '24H2 (10.0.26100.2314)',
  })
  const server = { ProductName: 'Windows Server 2019 Standard', ReleaseId: '1809' }
  expect(describeVersion({ major: 10, minor: 0, build: 17_763 }, values(server))).toEqual({
    os_name: 'Windows Server 2019 Standard',
    os_version: '1809 (10.0.17763)',
  })
  expect(describeVersion({ major: 6, minor: 3, build: 9600 }, values({}))).toEqual({
    os_name: 'Windows',
    os_version: '6.3.9600',
  })
})

test('the user at work is the signed-in user, else one who has disconnected', () => {
  const [ada, ben] = [
    { user: 'ada', isActive: false },
    { user: 'ben', isActive: true },
  ]
  expect(findSignedInUser([ada, ben])).toBe('ben')
  expect(findSignedInUser([ada])).toBe('ada')
  expect(findSignedInUser([])).toBeNull()
})

test('values of the registry, with and without a terminator', () => {
  const wide = (text: string) => Buffer.from(text, 'utf16le')
  expect(decodeValue(1, wide('7-Zip\0\0'))).toBe('7-Zip')
  expect(decodeValue(2, wide('%ProgramFiles%'))).toBe('%ProgramFiles%')
  expect(decodeValue(7, wide('one\0two\0\0'))).toBe('one\ntwo')
  expect(decodeValue(4, Buffer.from([1, 1, 0, 0]))).toBe(257)
  expect(decodeValue(11, Buffer.from([2, 0, 0, 0, 1, 0, 0, 0]))).toBe(2 ** 32 + 2)
  expect(decodeValue(4, Buffer.from([1]))).toBeUndefined()
  expect(decodeValue(3, Buffer.from([1]))).toBeUndefined()
})

const program = (values: Record<string, string | number>) => describeProgram((name) => values[name])

test('programs of Windows with values of any type, without components and hidden ones', () => {
  expect(
    program({
      DisplayName: 'Mozilla Firefox (x64 de) ',
      DisplayVersion: '132.0.1',
      Publisher: 'Mozilla',
      EstimatedSize: 252_117,
      UninstallString: '"C:\\Program Files\\Mozilla Firefox\\uninstall\\helper.exe"',
    }),
  ).toEqual({
    name: 'Mozilla Firefox (x64 de)',
    version: '132.0.1',
    publisher: 'Mozilla',
    source: 'windows',
    size: 252_117 * 1024,
    install_date: null,
    uninstall: '"C:\\Program Files\\Mozilla Firefox\\uninstall\\helper.exe"',
  })
  expect(
    program({ DisplayName: '7-Zip', DisplayVersion: 24.08, InstallDate: '20261021', EstimatedSize: 'big' }),
  ).toMatchObject({ version: '24.08', install_date: '2026-10-21', size: null, uninstall: null })
  expect(program({ DisplayName: 'No such day', InstallDate: '20261399' })).toMatchObject({
    install_date: null,
  })
  expect(program({ DisplayName: 'Hidden', SystemComponent: 1 })).toBeUndefined()
  expect(program({ DisplayName: 'Security Update', ParentKeyName: 'Office16' })).toBeUndefined()
  expect(program({ DisplayName: '  ' })).toBeUndefined()
})
