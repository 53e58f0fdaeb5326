import { networkInterfaces } from 'node:os'
import type { NetworkAddress } from '@muster/contract/agent/facts'
import type { z } from 'zod'

/** Addresses that other machines can use: neither loopback nor link-local. */
export function readAddresses(interfaces = networkInterfaces()): z.infer<typeof NetworkAddress>[] {
  const addresses = Object.entries(interfaces).flatMap(([name, list]) =>
    (list ?? [])
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ address, family, mac }) => ({
        interface: name,
        address,
        family: family === 'IPv6' ? ('ipv6' as const) : ('ipv4' as const),
        mac,
      })),
  )
  // Sorted, because the system's order varies and would look like a change.
  return addresses.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function sortKey(address: z.infer<typeof NetworkAddress>): string {
  return `${address.interface} ${address.family} ${address.address}`
}
