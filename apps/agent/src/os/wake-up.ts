import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { describeError } from '../log/log.ts'
import { AgentError } from '../errors.ts'

/** The "discard" port, which never responds. */
const PORT = 9
const MAX_NETWORKS = 16

/** The broadcast address of each network of this machine. */
export function findBroadcasts(interfaces = networkInterfaces()): string[] {
  const found = Object.values(interfaces).flatMap((list) =>
    (list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address, netmask }) => broadcastOf(address, netmask)),
  )
  return [...new Set(found)].slice(0, MAX_NETWORKS)
}

/** The magic packet: six 0xff bytes, then the address sixteen times. */
export function magicPacket(mac: string): Buffer {
  const address = Buffer.from(mac.replaceAll(':', ''), 'hex')
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: 16 }, () => address)])
}

/** Returns how many packets were sent. A network that is down is skipped if another one works. */
export async function sendMagicPackets(
  macs: readonly string[],
  broadcasts: readonly string[],
  port = PORT,
): Promise<number> {
  const socket = createSocket('udp4')
  try {
    socket.bind()
    await once(socket, 'listening')
    socket.setBroadcast(true)
    const sent = await Promise.allSettled(
      broadcasts.flatMap((to) => macs.map((mac) => send(socket, magicPacket(mac), { to, port }))),
    )
    const failed = sent.find((outcome) => outcome.status === 'rejected')
    const count = sent.filter(({ status }) => status === 'fulfilled').length
    if (count === 0 && failed !== undefined)
      throw new AgentError(`Failed to send a wake-up packet: ${describeError(failed.reason)}`)
    return count
  } finally {
    socket.close()
  }
}

function send(socket: Socket, packet: Buffer, { to, port }: { to: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.send(packet, port, to, (error) => (error === null ? resolve() : reject(error))),
  )
}

function broadcastOf(address: string, netmask: string): string {
  const mask = netmask.split('.').map(Number)
  return address
    .split('.')
    .map((part, i) => Number(part) | (~(mask[i] ?? 255) & 255))
    .join('.')
}
