import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type AddressKind, kindOfAddress } from './address-kind.ts'
import { networkOf } from '../http/sign-in-gate.ts'
import { connectTarget } from './connect-target.ts'
import { refusalOf, resolveTarget } from './resolve-target.ts'

test.each<[AddressKind, string[]]>([
  [
    'public',
    [
      '1.1.1.1',
      '8.8.8.8',
      '172.32.0.1',
      '192.169.0.1',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
    ],
  ],
  [
    'lan',
    [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      'fd12:3456::1',
      '::ffff:10.0.0.1',
    ],
  ],
  ['lan', ['64:ff9b::10.1.2.3', '2002:c0a8:101::1', '::ffff:c0a8:0101']],
  [
    'own',
    [
      '127.0.0.1',
      '127.255.0.1',
      '0.0.0.0',
      '169.254.169.254',
      '224.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
    ],
  ],
  [
    'own',
    [
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
      'fd00:ec2::254',
      '::127.0.0.1',
      '2001::1',
      '100.100.100.200',
    ],
  ],
  [
    'own',
    [
      '::ffff:127.0.0.1',
      '::FFFF:7f00:1',
      '0:0:0:0:0:ffff:a9fe:a9fe',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2002:a9fe:a9fe::1',
    ],
  ],
  [
    'own',
    ['', 'localhost', '1.2.3', '0x7f.1', '127.1', '2130706433', '010.0.0.1', '::ffff:010.0.0.1', '1::2::3'],
  ],
  // Mapped, translated (NAT64) and tunnelled (6to4) addresses count as the one inside, in every spelling.
  ['own', ['::FFFF:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:FFFF:7F00:0001', '64:ff9b:0:0:0:0:a9fe:a9fe']],
  ['own', ['2002:7F00:0001::1', '2002:a9fe:a9fe:1:2:3:4:5', '2002::', '64:ff9b:1::808:808']],
  [
    'lan',
    ['::ffff:192.168.0.1', '::ffff:ac10:1', '2002:0a00:0001::', '2002:ac1f:ffff::1', '64:ff9b::c0a8:1'],
  ],
  [
    'public',
    ['::ffff:808:808', '2002:808:808::1', '2002:ac20:1::', '2003::1', '64:ff9b::1.1.1.1', '64:ff9c::1'],
  ],
  // IPv4-compatible addresses differ from mapped ones.
  ['own', ['::8.8.8.8', '0::8.8.8.8', '::808:808', '0:0:0:0:0:0:808:808']],
  // The zone names an interface, not a destination.
  ['own', ['fe80::1%eth0.100', 'fe80::1%12', 'febf::1%a', '::1%lo', '127.0.0.1%lo', '%eth0']],
  ['lan', ['fec0::1%eth0', 'fd12::1%eth0', '::ffff:10.0.0.1%eth0']],
  ['own', ['0.255.255.255', '192.0.0.255', '239.1.1.1', '240.0.0.1', '::ffff:224.0.0.1', 'ff02::1%eth0']],
])('%s: %j', (kind, addresses) => {
  for (const address of addresses) expect([address, kindOfAddress(address)]).toEqual([address, kind])
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:aaaa::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2002:cb00:7107::1', '2002:cb00:7107:0::/64'],
  ['fe80::1%eth0.100', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['unix', 'unix'],
  ['', ''],
])('%s is counted as %s at the sign-in', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('reachable targets are a setting', () => {
  const allowed = (address: string) =>
    (['public', 'lan', 'any'] as const).filter((targets) => refusalOf(address, targets) === undefined)
  expect(allowed('9.9.9.9')).toEqual(['public', 'lan', 'any'])
  expect(allowed('192.168.0.9')).toEqual(['lan', 'any'])
  expect(allowed('127.0.0.1')).toEqual(['any'])
  expect(refusalOf('169.254.169.254', 'lan')).toContain('MUSTER_CHECK_TARGETS')
})

test('a name is refused by its address', async () => {
  await expect(resolveTarget('localhost', 'lan')).rejects.toThrow(/belongs to this server/)
  await expect(resolveTarget('127.0.0.1', 'public')).rejects.toThrow(/belongs to this server/)
  await expect(resolveTarget('192.168.7.7', 'public')).rejects.toThrow(/is in a private network/)
  await expect(resolveTarget('no-such-host-here', 'any')).rejects.toThrow(
    'The host no-such-host-here does not exist.',
  )
  expect(await resolveTarget('localhost', 'any')).toContain('127.0.0.1')
})

test('nothing is sent to a forbidden address', async () => {
  let connections = 0
  const listener = createServer(() => void (connections += 1)).listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  onTestFinished(() => void listener.close())
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { signal } = new AbortController()
  for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1'])
    await expect(connectTarget({ host, port, targets: 'lan', signal })).rejects.toThrow(
      /MUSTER_CHECK_TARGETS/,
    )
  expect(connections).toBe(0)
  const socket = await connectTarget({ host: 'localhost', port, targets: 'any', signal })
  socket.destroy()
})
