import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `own`: this machine, its link, or cloud metadata services; `lan`: a private network. */
export type AddressKind = 'public' | 'lan' | 'own'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const OWN = [
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
].map((network) => ipaddr.parseCIDR(network))
const LAN = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
  'fec0::/10',
].map((network) => ipaddr.parseCIDR(network))

/** IPv6 networks with an embedded IPv4 address, and where its four bytes begin. */
const NAT64 = { network: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), from: 12 }
const SIX_TO_FOUR = { network: ipaddr.IPv6.parseCIDR('2002::/16'), from: 2 }

/** An invalid address is `own`, so nothing is sent there. */
export function kindOfAddress(text: string): AddressKind {
  const address = readAddress(text)
  if (address === undefined) return 'own'
  const kind = ipaddr.subnetMatch(innerAddress(address), { own: OWN, lan: LAN }, 'public')
  return kind === 'own' || kind === 'lan' ? kind : 'public'
}

/**
 * Parses an address in its strict spelling, without the zone (`fe80::1%eth0`). `::ffff:10.0.0.1` becomes 10.0.0.1.
 * Returns undefined for everything else, such as `127.1` and `0x7f.1`, which other parsers accept.
 */
export function readAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/, '')
  if (isIP(bare) === 0) return undefined
  // The library would parse ::10.0.0.1, which is another address, like ::ffff:10.0.0.1.
  return ipaddr.process(bare.replace(/^::(?=\d+\.)/, '0::'))
}

function innerAddress(address: Address): Address {
  const form = [NAT64, SIX_TO_FOUR].find(({ network }) => address.kind() === 'ipv6' && address.match(network))
  return form === undefined ? address : new ipaddr.IPv4(address.toByteArray().slice(form.from, form.from + 4))
}
