import { expect, test } from 'vitest'
import { givenRoot } from '../../testing/given-root.ts'
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

const HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`
const lineOf = (name: string, received: number, sent: number) =>
  `${name}:${received} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`

const CARD = '../../devices/pci0000:00/0000:00:03.0/net/'
const VIRTUAL = '../../devices/virtual/net/'

/** /sys/class/net with these interfaces, and a default route. */
function givenNetwork(where: Record<string, string>, route = '') {
  const links = Object.entries(where).map(([name, folder]) => [`sys/class/net/${name}`, `${folder}${name}`])
  const table = `Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n${route}`
  return givenRoot({ 'proc/net/route': table }, Object.fromEntries(links))
}

test.each([
  ['a bridge with a member', 'vmbr0'],
  ['a bond', 'bond0'],
  ['a VLAN', 'eth0.5'],
  ['a VLAN with a name', 'office'],
  ['a container', 'veth12ab'],
  ['a virtual machine', 'tap100i0'],
  ['podman', 'podman1'],
  ['LXD', 'lxdbr0'],
  ['Docker', 'br-0a1b2c'],
  ['a tunnel', 'tailscale0'],
  ['a macvlan', 'macvlan0'],
])('bytes of cards are counted once: %s', (_, name) => {
  const text = `${HEAD}${lineOf('lo', 9, 9)}${lineOf('  eth0', 1200, 3400)}${lineOf(' wlan0', 1, 2)}${lineOf(name, 1100, 3300)}`
  const where = { lo: VIRTUAL, eth0: CARD, wlan0: CARD, [name]: VIRTUAL }
  const root = givenNetwork(where, `${name}\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n`)
  expect(parseNetDev(text, root)).toEqual({ received: 1201, sent: 3402, interfaces: 'eth0 wlan0' })
})

test('without a card, the interface of the default route is counted', () => {
  const text =
    HEAD + lineOf('lo', 9, 9) + lineOf('eth0', 10, 20) + lineOf('docker0', 5, 5) + lineOf('eth1', 7, 7)
  const where = { lo: VIRTUAL, eth0: VIRTUAL, docker0: VIRTUAL, eth1: VIRTUAL }
  const route = (name: string, metric: number) =>
    `${name}\t00000000\t010200C0\t0003\t0\t0\t${metric}\t00000000\n`
  const both = givenNetwork(where, route('eth1', 200) + route('eth0', 100))
  expect(parseNetDev(text, both)).toEqual({ received: 10, sent: 20, interfaces: 'eth0' })
  const only6 = givenRoot({
    'proc/net/ipv6_route': [
      `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 ${'0'.repeat(32)} ffffffff 00000001 00000000 00200200       lo`,
      `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth1`,
    ].join('\n'),
  })
  expect(parseNetDev(text, only6)).toEqual({ received: 7, sent: 7, interfaces: 'eth1' })
  expect(parseNetDev(text, givenNetwork(where)).interfaces).toBe('eth0 eth1')
})

test('a card that sends through another one is not counted', () => {
  const text =
    HEAD + lineOf('eth0', 10, 20) + lineOf('enP1s1', 9, 19) + lineOf('lan1', 9, 19) + lineOf('vif1.0', 9, 9)
  const root = givenRoot(
    {
      'device/eth0/ifindex': '2\n',
      'device/eth0/iflink': '2\n',
      'device/enP1s1/ifindex': '3\n',
      'device/enP1s1/iflink': '3\n',
      'device/lan1/ifindex': '4\n',
      'device/lan1/iflink': '2\n',
    },
    {
      'sys/class/net/eth0': '../../../device/eth0',
      'sys/class/net/enP1s1': '../../../device/enP1s1',
      'sys/class/net/lan1': '../../../device/lan1',
      'sys/class/net/vif1.0': '../../../device/vif1.0',
      'device/enP1s1/master': '../eth0',
    },
  )
  expect(parseNetDev(text, root)).toEqual({ received: 10, sent: 20, interfaces: 'eth0' })
})

test('this machine reports its counters', async () => {
  const counters = await readLinuxCounters()
  expect(counters.memoryPercent).toBeGreaterThan(0)
  expect(counters.memoryPercent).toBeLessThan(100)
  expect(counters.cpu.total).toBeGreaterThan(counters.cpu.busy)
  expect(counters.load).toBeGreaterThanOrEqual(0)
  expect(counters.disks.map(({ mount }) => mount)).toContain('/')
})
