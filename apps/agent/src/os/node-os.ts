import { cpus, networkInterfaces, uptime } from 'node:os'
import type { NetworkAddress } from '@muster/contract/agent/facts'
import type { z } from 'zod'
import { readFileSync } from 'node:fs'
import type { CpuTimes } from './probes.ts'

/** The addresses of an interface beyond this count are listed after those of all interfaces. */
const MANY_ADDRESSES = 16

export interface AddressOptions {
  interfaces?: ReturnType<typeof networkInterfaces>
  /** A lower rank is listed first. */
  rankOf?: (interfaceName: string) => number
}

/**
 * Addresses that other machines can use: neither loopback nor link-local. The end of a long list is cut: it holds the
 * addresses of the interfaces with the highest rank, and the many of one interface.
 */
export function readAddresses(options: AddressOptions = {}): z.infer<typeof NetworkAddress>[] {
  const { interfaces = networkInterfaces(), rankOf = () => 0 } = options
  const ranked = Object.entries(interfaces).flatMap(([name, list]) => {
    const addresses = (list ?? [])
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ address, family, mac }) => ({
        interface: name,
        address,
        family: family === 'IPv6' ? ('ipv6' as const) : ('ipv4' as const),
        mac,
      }))
    const rank = rankOf(name)
    // The first address of an interface is the one by which it is known.
    return addresses.map((address, index) => ({ address, rank, isLate: index >= MANY_ADDRESSES }))
  })
  // Sorted, because the system's order varies and would look like a change.
  return ranked
    .toSorted(
      (a, b) =>
        Number(a.isLate) - Number(b.isLate) ||
        a.rank - b.rank ||
        (sortKey(a.address) < sortKey(b.address) ? -1 : 1),
    )
    .map(({ address }) => address)
}

function sortKey(address: z.infer<typeof NetworkAddress>): string {
  return `${address.interface} ${address.family} ${address.address}`
}

const STEP_SECONDS = 10
let last = 0

/** Boot time in Unix seconds. Rounded, because clock and uptime are read at different moments. */
export function bootTimeFromUptime(uptimeSeconds: number): number {
  const now = Math.round(Date.now() / 1000 - uptimeSeconds)
  if (Math.abs(now - last) > STEP_SECONDS) last = now
  return last
}

const NAMES: Partial<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** The processor architecture as installers name it. */
export function machineArch(): string {
  return NAMES[process.arch] ?? process.arch
}

/** All processors together, for systems without a cheaper source. */
export function readCpuTimes(): CpuTimes {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const own = times.user + times.nice + times.sys + times.irq
    busy += own
    total += own + times.idle
  }
  return { busy, total }
}

/** Tolerance for computed boot times, which change when the clock is corrected. */
const SAME_WITHIN_SECONDS = 120

/** Identifies the current boot of the machine. */
export function readBootMark(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Only Linux has it.
    return String(Math.round(Date.now() / 1000 - uptime()))
  }
}

export function isSameBoot(one: string, other: string): boolean {
  if (one === other) return true
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return false
  return Math.abs(Number(one) - Number(other)) <= SAME_WITHIN_SECONDS
}

/** Placeholders that vendors leave in empty fields of the firmware. */
const EMPTY_VALUE =
  /^(|none|n\/?a|default string|to be filled by o\.?e\.?m\.?|system (manufacturer|product name|serial number)|not (specified|applicable|available)|unknown|0+|0123456789|\.+)$/i

/** Empty for a placeholder. */
export function meaningful(value: string): string {
  return EMPTY_VALUE.test(value) ? '' : value
}
