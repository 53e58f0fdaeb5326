import { expect, test } from 'vitest'
import { givenRoot } from '../../testing/given-root.ts'
import { findLinuxMachineId, readLinuxHardware } from './machine-identity.ts'

const ID = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'

test.each([
  [{ 'etc/machine-id': `${ID}\n` }, ID],
  [{ 'etc/machine-id': 'uninitialized\n' }, undefined],
  [{ 'etc/machine-id': '' }, undefined],
  [{ 'etc/machine-id': `${'0'.repeat(32)}\n` }, undefined],
  [{ 'etc/machine-id': 'web-01\n' }, undefined],
  [{}, undefined],
  [{ 'etc/machine-id': 'uninitialized\n', 'var/lib/dbus/machine-id': `${ID}\n` }, ID],
])('the machine id of %j is %s', (files, id) => {
  expect(findLinuxMachineId(givenRoot(files))).toBe(id)
})

test('hardware is the UUID of the firmware, the network cards and the disk below the root', () => {
  const root = givenRoot(
    {
      'sys/class/dmi/id/product_uuid': '4C4C4544-0051-4D10-8053-B7C04F4D3332\n',
      'sys/class/net/lo/type': '772\n',
      'sys/class/net/lo/address': '00:00:00:00:00:00\n',
      'sys/class/net/eno1/address': 'AA:BB:CC:00:00:01\n',
      'sys/class/net/eno1/bonding_slave/perm_hwaddr': '00:1b:21:00:00:02\n',
      'sys/class/net/eno1/device/vendor': '0x8086\n',
      'sys/class/net/eno2/address': '00:1b:21:00:00:01\n',
      'sys/class/net/eno2/device/vendor': '0x8086\n',
      'sys/class/net/wlan0/address': '00:1b:21:00:00:09\n',
      'sys/class/net/wlan0/addr_assign_type': '1\n',
      'sys/class/net/wlan0/device/vendor': '0x8086\n',
      'sys/class/net/docker0/address': '02:42:ac:11:00:01\n',
      'proc/self/mountinfo':
        '27 1 253:0 / / rw shared:1 - ext4 /dev/mapper/vg-root rw\n28 27 8:1 / /boot rw - ext4 /dev/sda1 rw\n',
      'dev/dm-0': '',
      'sys/block/dm-0/slaves/sda2/size': '1\n',
      'sys/block/sda/sda1/size': '1\n',
      'sys/block/sda/sda2/size': '1\n',
      'sys/block/sda/device/serial': 'Z9A0AAAA\n',
      'sys/block/sdb/device/serial': 'OTHER\n',
    },
    { 'dev/mapper/vg-root': '../dm-0' },
  )
  expect(readLinuxHardware(root)).toEqual({
    dmi_uuid: '4c4c4544-0051-4d10-8053-b7c04f4d3332',
    macs: ['00:1b:21:00:00:01', '00:1b:21:00:00:02'],
    disk_serial: 'Z9A0AAAA',
  })
})

test('a container has no cards, so that its interfaces count', () => {
  const root = givenRoot({
    'sys/class/net/lo/type': '772\n',
    'sys/class/net/lo/address': '00:00:00:00:00:00\n',
    'sys/class/net/eth0/address': 'bc:24:11:00:00:01\n',
    'proc/self/mountinfo': '27 1 0:50 / / rw - overlay overlay rw\n',
  })
  expect(readLinuxHardware(root)).toEqual({ macs: ['bc:24:11:00:00:01'] })
})

test('hardware that says nothing is left out', () => {
  const root = givenRoot({
    'sys/class/dmi/id/product_uuid': 'Not Settable\n',
    'sys/class/net/ib0/address': '80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:00:01\n',
    'sys/class/net/ib0/device/vendor': '0x15b3\n',
    'proc/self/mountinfo': '27 1 8:1 / / rw - ext4 /dev/root rw\n',
    'sys/block/sda/sda1/size': '1\n',
    'sys/block/sda/device/serial': 'To be filled by O.E.M.\n',
  })
  expect(readLinuxHardware(root)).toEqual({ macs: [] })
})

test('the disk below /dev/root is found by its numbers', () => {
  const root = givenRoot(
    {
      'proc/self/mountinfo': '27 1 8:1 / / rw - ext4 /dev/root rw\n',
      'sys/block/sda/sda1/size': '1\n',
      'sys/block/sda/device/serial': 'Z9A0AAAA\n',
    },
    { 'sys/dev/block/8:1': '../../block/sda/sda1' },
  )
  expect(readLinuxHardware(root)).toEqual({ macs: [], disk_serial: 'Z9A0AAAA' })
})
