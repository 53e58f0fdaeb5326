import { readAddress } from '../outbound/address-kind.ts'

/** One IPv6 customer has at least 2^64 addresses, so the /64 network counts. */
export function networkOf(text: string): string {
  const address = readAddress(text)
  if (address === undefined) return text
  if (!('parts' in address)) return address.toString()
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `${groups.join(':')}::/64`
}
