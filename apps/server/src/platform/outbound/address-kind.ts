import { BlockList, isIP, isIPv6 } from 'node:net'

/** `own`: this machine, its link, or cloud metadata services; `lan`: a private network. */
export type AddressKind = 'public' | 'lan' | 'own'

const OWN = listOf([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/3',
  // Metadata services of Azure and Alibaba, which include keys. Others use 169.254.169.254.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '::/96',
  'fe80::/10',
  'ff00::/8',
  // Translated and tunnelled addresses with an uncertain destination.
  '64:ff9b:1::/48',
  '2001::/32',
  // IPv6 metadata services of Amazon and Google.
  'fd00:ec2::/32',
  'fd20:ce::/32',
])
const LAN = listOf([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
  'fec0::/10',
])

export function kindOfAddress(address: string): AddressKind {
  const bare = address.replace(/%.*$/, '')
  const inner = innerAddress(bare) ?? bare
  const family = isIPv6(inner) ? 'ipv6' : 'ipv4'
  // Not a valid address: treated as forbidden.
  if (isIP(inner) === 0 || OWN.check(inner, family)) return 'own'
  return LAN.check(inner, family) ? 'lan' : 'public'
}

/** Returns the IPv4 address embedded in an IPv6 address. */
function innerAddress(address: string): string | undefined {
  if (!isIPv6(address)) return undefined
  const groups = groupsOf(address)
  const start = groups.slice(0, 6).join(':')
  if (start === '0:0:0:0:0:ffff' || start === '64:ff9b:0:0:0:0') return fromGroups(groups.slice(6))
  return groups[0] === '2002' ? fromGroups(groups.slice(1, 3)) : undefined
}

/** The eight groups, without leading zeros. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]/`)
  const [left = '', right = ''] = hostname.slice(1, -1).split('::')
  const [before, after] = [left, right].map((text) => text.split(':').filter((group) => group !== ''))
  const zeros = 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])]
}

function fromGroups(groups: string[]): string {
  return groups
    .flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 255]
    })
    .join('.')
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
