import { expect, test } from 'vitest'
import { readAddresses } from './node-os.ts'

const entry = (address: string, internal = false) => ({
  address,
  netmask: '',
  mac: '02:00:00:00:00:01',
  internal,
  ...(address.includes(':') ? { family: 'IPv6' as const, scopeid: 0 } : { family: 'IPv4' as const }),
  cidr: null,
})

test('addresses that reach the machine are listed in a stable order', () => {
  const addresses = readAddresses({
    interfaces: {
      wlan0: [entry('fe80::1'), entry('2001:db8::5'), entry('10.0.0.9'), entry('10.0.0.8')],
      lo: [entry('127.0.0.1', true), entry('::1', true)],
      eth0: [entry('169.254.3.4'), entry('192.0.2.7')],
    },
  })
  expect(addresses.map((found) => `${found.interface} ${found.family} ${found.address}`)).toEqual([
    'eth0 ipv4 192.0.2.7',
    'wlan0 ipv4 10.0.0.8',
    'wlan0 ipv4 10.0.0.9',
    'wlan0 ipv6 2001:db8::5',
  ])
})

const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => entry(`${prefix}.${Math.floor(index / 250)}.${index % 250}`))

test.each([
  ['a bridge', { 'br-000': many('172.20', 300), eth0: [entry('192.0.2.7')] }],
  ['the card itself', { eth0: [entry('192.0.2.7'), ...many('203.0', 299)], eth1: many('10.9', 1) }],
  [
    'hundreds of containers',
    Object.fromEntries([
      ['eth0', [entry('192.0.2.7')]],
      ...many('10.1', 300).map((one, index) => [`br-${index}`, [one]]),
    ]),
  ],
])('the address of the default route is the first of many: %s', (_, interfaces) => {
  const rankOf = (name: string) => ['eth0', 'eth1'].indexOf(name) >>> 0
  const addresses = readAddresses({ interfaces, rankOf })
  expect(addresses[0]?.address).toBe('192.0.2.7')
  expect(addresses.length).toBeGreaterThanOrEqual(300)
})

test('many addresses of one interface are listed after those of the others on every system', () => {
  const interfaces = {
    'br-000': many('172.20', 300),
    eth0: [entry('192.0.2.7')],
    wlan0: [entry('192.0.2.8')],
  }
  const first = readAddresses({ interfaces }).slice(0, 18)
  expect(first.map(({ address }) => address)).toEqual(expect.arrayContaining(['192.0.2.7', '192.0.2.8']))
})
