import { SERVER_CHECK_LIMIT_MS, type ServerMeasured } from '@muster/contract/checks/server-checks'
import { measureDns } from './measure-dns.ts'
import { measureHttp } from './measure-http.ts'
import { measureTcp } from './measure-tcp.ts'
import type { Reach, ServerSettings } from './server-kind.ts'

/** Measures once within the time limit. A failed connection is a result. */
export async function measureFromServer(settings: ServerSettings, reach: Reach): Promise<ServerMeasured> {
  const limit = new AbortController()
  const signal = AbortSignal.any([reach.signal, limit.signal])
  const over = Promise.withResolvers<ServerMeasured>()
  const timer = setTimeout(() => {
    // Resolved first: the running request would report the abort in other words.
    over.resolve(
      withoutAnswer(settings, `No complete response within ${SERVER_CHECK_LIMIT_MS / 1000} seconds.`),
    )
    limit.abort()
  }, SERVER_CHECK_LIMIT_MS)
  try {
    return await Promise.race([measure(settings, { ...reach, signal }), over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** None of these throws: failures are results. */
function measure(settings: ServerSettings, reach: Reach): Promise<ServerMeasured> {
  switch (settings.check_type) {
    case 'http':
      return measureHttp(settings, reach)
    case 'tcp':
      return measureTcp(settings, reach)
    case 'dns':
      return measureDns(settings, reach)
  }
}

function withoutAnswer({ check_type }: ServerSettings, reason: string): ServerMeasured {
  switch (check_type) {
    case 'http': {
      const nothing = { status: null, has_present: null, has_absent: null, is_cut: false, cert_days: null }
      return { check_type, reason, ms: null, ...nothing }
    }
    case 'tcp':
      return { check_type, reason, ms: null }
    case 'dns':
      return { check_type, reason, ms: null, answers: [] }
  }
}
