import { Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { splitResolver } from '@muster/contract/checks/server-checks'
import { OutboundError } from '../../../platform/outbound/outbound-error.ts'
import { refusalOf } from '../../../platform/outbound/resolve-target.ts'
import type { MeasuredOf, Reach, SettingsOf } from './server-kind.ts'

const MAX_ANSWERS = 50

const WORDS: Record<string, string> = {
  ETIMEOUT: 'The name server does not respond.',
  ECANCELLED: 'The name server does not respond.',
  ECONNREFUSED: 'The name server refuses requests.',
  EREFUSED: 'The name server refused the request.',
  ESERVFAIL: 'The name server could not answer the request.',
  ENOTFOUND: 'This name does not exist.',
}

export async function measureDns(settings: SettingsOf<'dns'>, reach: Reach): Promise<MeasuredOf<'dns'>> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  const stop = () => resolver.cancel()
  const started = performance.now()
  try {
    if (settings.resolver !== null) resolver.setServers([serverOf(settings.resolver, reach)])
    reach.signal.addEventListener('abort', stop)
    const found = await askFor(resolver, settings)
    const answers = found.slice(0, MAX_ANSWERS).map((answer) => answer.slice(0, 500))
    return { check_type: 'dns', reason: '', ms: performance.now() - started, answers }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // The name exists without a record of this type.
    if (code === 'ENODATA')
      return { check_type: 'dns', reason: '', ms: performance.now() - started, answers: [] }
    const words = error instanceof OutboundError ? error.message : WORDS[code]
    const reason = words ?? `The request failed: ${error instanceof Error ? error.message : String(error)}`
    return { check_type: 'dns', reason: reason.slice(0, 500), ms: null, answers: [] }
  } finally {
    reach.signal.removeEventListener('abort', stop)
  }
}

function serverOf(text: string, { targets }: Reach): string {
  const server = splitResolver(text)
  const refusal = server === undefined ? `${text} is not an address.` : refusalOf(server.address, targets)
  if (server === undefined || refusal !== undefined) throw new OutboundError(refusal)
  return `${isIPv6(server.address) ? `[${server.address}]` : server.address}:${server.port}`
}

async function askFor(
  resolver: Resolver,
  { record_name, record_type }: SettingsOf<'dns'>,
): Promise<string[]> {
  switch (record_type) {
    case 'A':
      return resolver.resolve4(record_name)
    case 'AAAA':
      return resolver.resolve6(record_name)
    case 'CNAME':
      return resolver.resolveCname(record_name)
    case 'MX':
      return (await resolver.resolveMx(record_name))
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ priority, exchange }) => `${priority} ${exchange}`)
    case 'TXT':
      return (await resolver.resolveTxt(record_name)).map((parts) => parts.join(''))
  }
}
