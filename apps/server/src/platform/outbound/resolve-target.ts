import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { OutboundTargets } from '../config/config.ts'
import { kindOfAddress } from './address-kind.ts'
import { OutboundError } from './outbound-error.ts'

/** Enough for a name with IPv4 and IPv6, one of them unrouted. */
const MAX_ADDRESSES = 4

/** The setting that decides. A refusal names it. */
export type TargetsSetting = 'MUSTER_CHECK_TARGETS' | 'MUSTER_CHANNEL_TARGETS'

/** @returns Why this address is forbidden, or undefined if it is allowed. */
export function refusalOf(
  address: string,
  targets: OutboundTargets,
  setting: TargetsSetting = 'MUSTER_CHECK_TARGETS',
): string | undefined {
  if (targets === 'any') return undefined
  const kind = kindOfAddress(address)
  if (kind === 'public' || (kind === 'lan' && targets === 'lan')) return undefined
  const what = kind === 'lan' ? 'is in a private network' : 'belongs to this server or its surroundings'
  return `${address} ${what}. The server's setting ${setting} does not allow it.`
}

/**
 * Resolves a host once to its allowed addresses. Callers connect to one of these, so a name that resolves differently
 * later changes nothing.
 */
export async function resolveTarget(
  host: string,
  targets: OutboundTargets,
  setting?: TargetsSetting,
): Promise<string[]> {
  const found = isIP(host) === 0 ? await findAddresses(host) : [host]
  const allowed = found.filter((address) => refusalOf(address, targets, setting) === undefined)
  if (allowed.length > 0) return allowed.slice(0, MAX_ADDRESSES)
  const [first] = found
  throw new OutboundError(
    first === undefined ? `The host ${host} does not exist.` : (refusalOf(first, targets, setting) ?? ''),
  )
}

/**
 * Queries the name servers without the system resolver, which blocks Node's four threads that also read files. Falls
 * back to the system for names unknown there: names of /etc/hosts and short ones.
 */
async function findAddresses(host: string): Promise<string[]> {
  if (host.includes('.')) {
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const isSilent = answers.some(({ status, ...answer }) => status === 'rejected' && isTimeout(answer))
    if (isSilent) throw new OutboundError(`The name servers did not respond for ${host}.`)
  }
  try {
    return (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  } catch (cause) {
    throw new OutboundError(`The host ${host} does not exist.`, { cause })
  }
}

function isTimeout(answer: object): boolean {
  const reason: unknown = 'reason' in answer ? answer.reason : undefined
  return reason instanceof Error && 'code' in reason && reason.code === 'ETIMEOUT'
}
