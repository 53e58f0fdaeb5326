import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `own`: this machine, its link, or what a cloud offers to its machines only; `lan`: a private network. */
export type AddressKind = 'public' | 'lan' | 'own'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const OWN = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/3',
  // What Azure and Alibaba tell their machines about themselves, keys included; others use 169.254.169.254.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '::/96',
  'fe80::/10',
  'ff00::/8',
  // Translated and tunnelled addresses of which it is not certain where they end.
  '64:ff9b:1::/48',
  '2001::/32',
  // The same of Amazon and Google by version 6.
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

/** Addresses of version 6 that stand for one of version 4: where its four bytes begin. */
const NAT64 = { network: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), from: 12 }
const SIX_TO_FOUR = { network: ipaddr.IPv6.parseCIDR('2002::/16'), from: 2 }

/** What is no address at all is `own`: nothing is sent there. */
export function kindOfAddress(text: string): AddressKind {
  const address = readAddress(text)
  if (address === undefined) return 'own'
  const kind = ipaddr.subnetMatch(innerAddress(address), { own: OWN, lan: LAN }, 'public')
  return kind === 'own' || kind === 'lan' ? kind : 'public'
}

/**
 * An address in the strict spelling, without its zone (`fe80::1%eth0`); `::ffff:10.0.0.1` is read as 10.0.0.1.
 * Undefined for everything else: other readers take `127.1` and `0x7f.1` for addresses.
 */
export function readAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/, '')
  if (isIP(bare) === 0) return undefined
  // The library would read ::10.0.0.1, which is another address, like ::ffff:10.0.0.1.
  return ipaddr.process(bare.replace(/^::(?=\d+\.)/, '0::'))
}

function innerAddress(address: Address): Address {
  const form = [NAT64, SIX_TO_FOUR].find(({ network }) => address.kind() === 'ipv6' && address.match(network))
  return form === undefined ? address : new ipaddr.IPv4(address.toByteArray().slice(form.from, form.from + 4))
}
