import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { OutboundTargets } from '../config/config.ts'
import { kindOfAddress } from './address-kind.ts'
import { OutboundError } from './outbound-error.ts'

/** Enough for a name that has both versions, of which one is not routed. */
const MOST_ADDRESSES = 4

/** The setting that decides; a refusal names it. */
export type TargetsSetting = 'MUSTER_CHECK_TARGETS' | 'MUSTER_CHANNEL_TARGETS'

/** Why this address may not be reached from here, or undefined where it may. */
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
 * The addresses of a host that may be reached, asked for once: whoever goes on to connect takes one of these, so that
 * a name that answers differently the next time changes nothing.
 */
export async function resolveTarget(
  host: string,
  targets: OutboundTargets,
  setting?: TargetsSetting,
): Promise<string[]> {
  const found = isIP(host) === 0 ? await findAddresses(host) : [host]
  const allowed = found.filter((address) => refusalOf(address, targets, setting) === undefined)
  if (allowed.length > 0) return allowed.slice(0, MOST_ADDRESSES)
  const [first] = found
  throw new OutboundError(
    first === undefined ? `There is no host ${host}.` : (refusalOf(first, targets, setting) ?? ''),
  )
}

/**
 * Asks the name servers without the threads that the system's own way needs: there are four of them, and files are
 * read by them, too. The system is asked for what the name servers do not know: names of /etc/hosts and short ones.
 */
async function findAddresses(host: string): Promise<string[]> {
  if (host.includes('.')) {
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const isSilent = answers.some(({ status, ...answer }) => status === 'rejected' && isTimeout(answer))
    if (isSilent) throw new OutboundError(`The name servers do not answer for ${host}.`)
  }
  try {
    return (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  } catch (cause) {
    throw new OutboundError(`There is no host ${host}.`, { cause })
  }
}

function isTimeout(answer: object): boolean {
  const reason: unknown = 'reason' in answer ? answer.reason : undefined
  return reason instanceof Error && 'code' in reason && reason.code === 'ETIMEOUT'
}
