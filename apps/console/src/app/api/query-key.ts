import type { Endpoint, Input } from '@muster/contract/endpoint'

/** Cache key of an endpoint's response; without input, the prefix of all its keys. */
export function queryKey<E extends Endpoint>(endpoint: E, input?: Input<E>): readonly unknown[] {
  const address = `${endpoint.method} ${endpoint.path}`
  return input === undefined ? [address] : [address, input]
}
