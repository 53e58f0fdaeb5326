import type { RegistryPage } from '@muster/contract/agent/registry'
import type { RegistryListing } from '@muster/contract/api/registry'
import { nameOfRegistryType, showRegistryData } from '@muster/rules/agents/registry-value'

export function viewRegistryPage(page: RegistryPage): RegistryListing {
  return {
    ...page,
    values: page.values.map(({ name, ...value }) => ({ name, bytes: value.bytes, ...viewData(value) })),
    has_more: page.next_keys !== null || page.next_values !== null,
  }
}

/** A readable value, truncated if it is long. */
export function viewData({ type, size, bytes }: { type: number; size: number; bytes: string | null }) {
  const name = nameOfRegistryType(type)
  const known = Buffer.from(bytes ?? '', 'base64')
  return { type: name, size, data: showRegistryData(name, known, known.length === size) }
}
