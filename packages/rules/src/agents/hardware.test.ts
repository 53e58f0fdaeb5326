import { expect, test } from 'vitest'
import { compareHardware, type ShownHardware, isComparable } from './hardware.ts'

const UUID = '4c4c4544-0051-4d10-8053-b7c04f4d3332'
const OTHER_UUID = '4c4c4544-0051-4d10-8053-b7c04f4d3333'
const MAC = '00:1b:21:3a:4f:10'
const OTHER_MAC = '00:1b:21:3a:4f:11'
const SERIAL = 'S64DNX0R'

const whole: ShownHardware = { dmi_uuid: UUID, macs: [MAC], disk_serial: SERIAL }

test.each<[string, ShownHardware, ShownHardware, ReturnType<typeof compareHardware>]>([
  ['a restored snapshot', whole, whole, 'same'],
  ['a replaced disk', whole, { ...whole, disk_serial: 'OTHER' }, 'same'],
  ['a replaced network card', whole, { ...whole, macs: [OTHER_MAC] }, 'same'],
  ['one more network card', whole, { ...whole, macs: [OTHER_MAC, MAC] }, 'same'],
  ['a cloned virtual machine', whole, { dmi_uuid: OTHER_UUID, macs: [OTHER_MAC] }, 'other'],
  ['another board, whatever else is equal', whole, { ...whole, dmi_uuid: OTHER_UUID }, 'other'],
  [
    'containers of one host',
    { ...whole, disk_serial: undefined },
    { dmi_uuid: UUID, macs: [OTHER_MAC] },
    'other',
  ],
  ['containers that see no card', { dmi_uuid: UUID, macs: [] }, { dmi_uuid: UUID, macs: [] }, 'same'],
  [
    'other card and other disk, DMI unknown',
    { macs: [MAC], disk_serial: SERIAL },
    { macs: [OTHER_MAC], disk_serial: 'X' },
    'other',
  ],
  [
    'other card, same disk, DMI unknown',
    { macs: [MAC], disk_serial: SERIAL },
    { macs: [OTHER_MAC], disk_serial: SERIAL },
    'same',
  ],
  [
    'same card, other disk, DMI unknown',
    { macs: [MAC], disk_serial: SERIAL },
    { macs: [MAC], disk_serial: 'X' },
    'same',
  ],
  ['DMI read by one of them only', whole, { macs: [MAC] }, 'same'],
  ['DMI read by one of them only, other card', whole, { macs: [OTHER_MAC] }, 'other'],
  ['only disks, which differ', { macs: [], disk_serial: SERIAL }, { macs: [], disk_serial: 'X' }, 'unknown'],
  ['nothing in common that is known', { dmi_uuid: UUID, macs: [] }, { macs: [MAC] }, 'unknown'],
  ['nothing known', { macs: [] }, { macs: [] }, 'unknown'],
  ['one that says nothing', whole, { macs: [] }, 'unknown'],
  // Values that many machines have.
  [
    'zeros for a DMI UUID',
    { dmi_uuid: '00000000-0000-0000-0000-000000000000', macs: [] },
    { dmi_uuid: UUID, macs: [] },
    'unknown',
  ],
  [
    'F for a DMI UUID',
    { dmi_uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff', macs: [] },
    { dmi_uuid: UUID, macs: [] },
    'unknown',
  ],
  [
    "a board maker's example",
    { dmi_uuid: '03000200-0400-0500-0006-000700080009', macs: [] },
    { dmi_uuid: '03000200-0400-0500-0006-000700080009', macs: [] },
    'unknown',
  ],
  ['MACs made by software', { macs: ['52:54:00:12:34:56'] }, { macs: ['52:54:00:65:43:21'] }, 'unknown'],
  ['a MAC of zeros', { macs: ['00:00:00:00:00:00'] }, { macs: ['00:00:00:00:00:00'] }, 'unknown'],
  [
    "QEMU's usual disk",
    { macs: [], disk_serial: 'QM00001' },
    { macs: [], disk_serial: 'QM00001' },
    'unknown',
  ],
])('%s: two machines with one id are compared', (_name, one, two, match) => {
  expect([compareHardware(one, two), compareHardware(two, one)]).toEqual([match, match])
})

test('only real values can be compared', () => {
  expect([whole, { macs: [MAC] }, { macs: [], disk_serial: SERIAL }].map(isComparable)).toEqual([
    true,
    true,
    true,
  ])
  expect(
    [{ macs: [] }, { dmi_uuid: '00000000-0000-0000-0000-000000000000', macs: ['02:42:ac:11:00:02'] }].map(
      isComparable,
    ),
  ).toEqual([false, false])
})
