import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findBroadcasts, magicPacket, sendMagicPackets } from './wake-up.ts'

const MAC = '02:42:ac:11:00:02'

test('each network has its broadcast address', () => {
  const entry = (address: string, netmask: string, internal = false) => ({
    address,
    netmask,
    internal,
    mac: MAC,
    cidr: null,
    family: 'IPv4' as const,
  })
  expect(
    findBroadcasts({
      lo: [entry('127.0.0.1', '255.0.0.0', true)],
      eth0: [entry('192.168.7.20', '255.255.255.0'), entry('192.168.7.21', '255.255.255.0')],
      eth1: [
        entry('10.20.33.4', '255.255.240.0'),
        { ...entry('fe80::1', 'ffff::'), family: 'IPv6', scopeid: 1 },
      ],
    }),
  ).toEqual(['192.168.7.255', '10.20.47.255'])
})

test('a magic packet arrives over a real network', async () => {
  const receiver = createSocket('udp4').bind(0, '0.0.0.0')
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo // A bound UDP socket has an address of this kind.
  const received = once(receiver, 'message')
  // The loopback network.
  expect(await sendMagicPackets([MAC], ['127.255.255.255'], port)).toBe(1)
  const [packet] = (await received) as [Buffer]
  expect(packet.toString('hex')).toBe('ff'.repeat(6) + '0242ac110002'.repeat(16))
  expect(magicPacket(MAC)).toHaveLength(102)
})

test('a packet that cannot be sent reports the reason', async () => {
  await expect(sendMagicPackets([MAC], ['256.1.1.1'], 9)).rejects.toThrow('Failed to send a wake-up packet')
})
