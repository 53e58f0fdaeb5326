import { expect, test } from 'vitest'
import { parseInterfaces, parseStorageDrivers } from './counters.ts'

// The columns are from https://github.com/DataDog/dd-agent/issues/71 and, with one more at the right, from
// https://github.com/shirou/gopsutil/pull/73; the numbers are invented.
const interfaces = `Name       Mtu   Network       Address            Ipkts Ierrs     Ibytes    Opkts Oerrs     Obytes  Coll
lo0        16384 <Link#1>                          1000     0     900000     1000     0     900000     0
lo0        16384 127           127.0.0.1           1000     -     900000     1000     -     900000     -
gif0*      1280  <Link#2>                             0     0          0        0     0          0     0
en0        1500  <Link#4>    02:00:00:00:00:01     5000     0    4000000     3000     0    2000000     0
en0        1500  192.0.2       192.0.2.9           5000     -    4000000     3000     -    2000000     -
en0        1500  fe80::1%en0   fe80:4::1           5000     -    4000000     3000     -    2000000     -
en5        1500  <Link#7>    02:00:00:00:00:02       10     0        500       10     0        700     0
pdp_ip0    1450  <Link#8>                             7     0         60        7     0         80     0
utun3      1380  <Link#15>                          700     0     600000      600     0     500000     0
bridge0    1500  <Link#9>    02:00:00:00:00:03      100     0      70000      100     0      70000     0
`

test('interfaces are counted once each, without tunnels', () => {
  expect(parseInterfaces(interfaces)).toEqual({ received: 4_000_560, sent: 2_000_780 })
})

test('columns are found by their titles, because some systems have one more', () => {
  const withDrops = interfaces
    .split('\n')
    .map((line) => (line.startsWith('Name') ? `${line} Drop` : line === '' ? '' : `${line}   0`))
  expect(parseInterfaces(withDrops.join('\n'))).toEqual({ received: 4_000_560, sent: 2_000_780 })
})

test('other output gives no result', () => {
  expect(parseInterfaces('')).toBeUndefined()
  expect(parseInterfaces('netstat: sysctl: operation not permitted\n')).toBeUndefined()
  expect(parseInterfaces('Name Ibytes Obytes\nen0 1500 <Link#1> x y z\n')).toEqual({ received: 0, sent: 0 })
})

// The keys are from IOKit's IOBlockStorageDriver.h; ioreg writes them on one line.
test('bytes of disks are those of their drivers, without partitions', () => {
  const driver = (read: number, written: number) => `+-o IOBlockStorageDriver  <class IOBlockStorageDriver, id 0x100000375, registered>
  | {
  |   "IOClass" = "IOBlockStorageDriver"
  |   "Statistics" = {"Operations (Write)"=9,"Latency Time (Write)"=0,"Bytes (Read)"=${read},"Errors (Write)"=0,"Total Time (Read)"=5,"Latency Time (Read)"=0,"Retries (Read)"=0,"Errors (Read)"=0,"Total Time (Write)"=4,"Bytes (Write)"=${written},"Operations (Read)"=8,"Retries (Write)"=0}
  | }
  |
  +-o APPLE SSD Media  <class IOMedia, id 0x100000378, registered>
      {
        "Size" = 1000555581440
      }
` // prettier-ignore
  expect(parseStorageDrivers(driver(4096, 8192) + driver(1, 2))).toEqual({ read: 4097, written: 8194 })
  expect(parseStorageDrivers('')).toBeUndefined()
  expect(parseStorageDrivers('"Statistics" = {"Operations (Read)"=8}')).toBeUndefined()
})
