import { expect, test } from 'vitest'
import { readAddresses } from './node-os.ts'

test('addresses that reach the machine are listed in a stable order', () => {
  const entry = (address: string, internal = false) => ({
    address,
    netmask: '',
    mac: '02:00:00:00:00:01',
    internal,
    ...(address.includes(':') ? { family: 'IPv6' as const, scopeid: 0 } : { family: 'IPv4' as const }),
    cidr: null,
  })
  const addresses = readAddresses({
    wlan0: [entry('fe80::1'), entry('2001:db8::5'), entry('10.0.0.9'), entry('10.0.0.8')],
    lo: [entry('127.0.0.1', true), entry('::1', true)],
    eth0: [entry('169.254.3.4'), entry('192.0.2.7')],
  })
  expect(addresses.map((found) => `${found.interface} ${found.family} ${found.address}`)).toEqual([
    'eth0 ipv4 192.0.2.7',
    'wlan0 ipv4 10.0.0.8',
    'wlan0 ipv4 10.0.0.9',
    'wlan0 ipv6 2001:db8::5',
  ])
})
