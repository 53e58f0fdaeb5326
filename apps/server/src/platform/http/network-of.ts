import { isIPv6 } from 'node:net'

/** One IPv6 customer has at least 2^64 addresses, so the /64 network counts. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  if (address.toLowerCase().startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const left = head.split(':').filter((part) => part !== '')
  const right = tail.split(':').filter((part) => part !== '')
  const zeros = address.includes('::')
    ? Array.from({ length: 8 - left.length - right.length }, () => '0')
    : []
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
