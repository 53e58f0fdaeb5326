import type { Severity } from '@muster/contract/fields'

const COLORS = { error: '#c92a2a', warning: '#e67700', info: '#1864ab' } as const
const OVER = '#2b8a3e'

/** The colour that chat programs show next to a message. The text says the same. */
export function colorOf(worst: Severity | undefined): string {
  return worst === undefined ? OVER : COLORS[worst]
}
