import ipaddr from 'ipaddr.js'
import { readAddress } from '../../../platform/outbound/address-kind.ts'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses an address or a CIDR network. Returns undefined for everything else. */
export function readRange(text: string): Range | undefined {
  const [, base = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = readAddress(base)
  if (address === undefined) return undefined
  const longest = address.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? longest : Number(bits)
  return length > longest ? undefined : [address, length]
}

/** Whether an address is in one of these ranges. No ranges = any address. */
export function isInRanges(source: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return true
  const address = readAddress(source)
  if (address === undefined) return false
  const allowed = ranges.map(readRange).filter((range) => range !== undefined)
  return ipaddr.subnetMatch(address, { allowed }, 'none') === 'allowed'
}
