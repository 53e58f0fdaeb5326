import { expect, test } from 'vitest'
import { givenRoot } from '../../testing/given-root.ts'
import { readBootTime, readCpus, readMachineMake, readOsRelease, readPhysicalDisks } from './hardware.ts'

test('make, model and serial number come from the firmware, without placeholders', () => {
  const root = givenRoot({
    'sys/class/dmi/id/sys_vendor': 'LENOVO\n',
    'sys/class/dmi/id/product_name': '21CBCTO1WW\n',
    'sys/class/dmi/id/product_serial': 'To be filled by O.E.M.\n',
    'sys/class/dmi/id/chassis_serial': 'PF3ABCDE\n',
  })
  expect(readMachineMake(root)).toEqual({ make: 'LENOVO', model: '21CBCTO1WW', serial_number: 'PF3ABCDE' })
})

test('a small board is described by its device tree', () => {
  const root = givenRoot({
    'proc/device-tree/model': 'Raspberry Pi 4 Model B Rev 1.4\0',
    'proc/device-tree/serial-number': '10000000abcdef01\0',
  })
  expect(readMachineMake(root)).toEqual({
    make: '',
    model: 'Raspberry Pi 4 Model B Rev 1.4',
    serial_number: '10000000abcdef01',
  })
})

test('each socket is one processor', () => {
  const cpu = (socket: number) =>
    `processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) CPU\nphysical id\t: ${socket}\n`
  const root = givenRoot({ 'proc/cpuinfo': [cpu(0), cpu(0), cpu(1), cpu(1)].join('\n') })
  expect(readCpus(root)).toEqual(['Intel(R) Xeon(R) CPU', 'Intel(R) Xeon(R) CPU'])
  expect(readCpus(givenRoot({}))).toEqual([])
})

test('physical disks have a size, a kind and a serial number', () => {
  const root = givenRoot({
    'sys/block/sda/size': '1953525168\n',
    'sys/block/sda/dev': '8:0\n',
    'sys/block/sda/queue/rotational': '1\n',
    'sys/block/sda/device/vendor': 'ATA     \n',
    'sys/block/sda/device/model': 'ST1000DM010-2EP1\n',
    'run/udev/data/b8:0': 'S:disk/by-id/x\nE:ID_SERIAL_SHORT=Z9A0AAAA\nE:ID_BUS=ata\n',
    'sys/block/nvme0n1/size': '1000215216\n',
    'sys/block/nvme0n1/dev': '259:0\n',
    'sys/block/nvme0n1/device/model': 'Samsung SSD 980 500GB\n',
    'sys/block/nvme0n1/device/serial': 'S64DNX0R\n',
    'sys/block/loop0/size': '100\n',
    'sys/block/sdb/size': '0\n',
  })
  expect(readPhysicalDisks(root)).toEqual([
    { name: 'Samsung SSD 980 500GB (nvme0n1)', size: 512_110_190_592, type: 'NVMe', serial: 'S64DNX0R' },
    { name: 'ST1000DM010-2EP1 (sda)', size: 1_000_204_886_016, type: 'HDD', serial: 'Z9A0AAAA' },
  ])
})

test('the operating system has a name and a version', () => {
  const debian = givenRoot({ 'etc/os-release': 'NAME="Debian GNU/Linux"\nVERSION="12 (bookworm)"\n' })
  expect(readOsRelease(debian)).toEqual({ os_name: 'Debian GNU/Linux', os_version: '12 (bookworm)' })
  const arch = givenRoot({ 'usr/lib/os-release': "NAME='Arch Linux'\nBUILD_ID=rolling\n" })
  expect(readOsRelease(arch)).toEqual({ os_name: 'Arch Linux', os_version: 'rolling' })
  expect(readOsRelease(givenRoot({}))).toEqual({ os_name: 'Linux', os_version: '' })
})

test.each([
  ['NAME="Debian GNU/Linux"\nPRETTY_NAME="Debian GNU/Linux forky/sid"\n', 'Debian GNU/Linux', 'forky/sid'],
  [
    'NAME="Debian GNU/Linux"\nPRETTY_NAME="Debian GNU/Linux forky/sid"\nVERSION=""\n',
    'Debian GNU/Linux',
    'forky/sid',
  ],
  ['NAME="void"\nPRETTY_NAME="Void Linux"\n', 'Void Linux', ''],
  ['PRETTY_NAME="Appliance 7"\n', 'Appliance 7', ''],
  ['NAME="Arch Linux"\nPRETTY_NAME="Arch Linux"\n', 'Arch Linux', ''],
  ['NAME=Alpine\nVERSION_ID=3.22\nPRETTY_NAME="Alpine Linux v3.22"\n', 'Alpine', '3.22'],
])('a release without a version is named by its full name: %j', (text, name, version) => {
  expect(readOsRelease(givenRoot({ 'etc/os-release': text }))).toEqual({ os_name: name, os_version: version })
})

test('the boot time is that of the kernel', () => {
  expect(readBootTime(givenRoot({ 'proc/stat': 'cpu 1 2\nbtime 1795252111\nprocesses 5\n' }))).toBe(
    1_795_252_111,
  )
})
