import type { Endpoint, Input } from '@muster/contract/endpoint'

/** Cache key of an endpoint's answer; without input, what all its cached answers start with. */
export function queryKey<E extends Endpoint>(endpoint: E, input?: Input<E>): readonly unknown[] {
  const address = `${endpoint.method} ${endpoint.path}`
  return input === undefined ? [address] : [address, input]
}
