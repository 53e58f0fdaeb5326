import { AgentFacts } from '@muster/contract/agent/facts'
import type { Log } from '../log/log.ts'
import type { Facts } from './changed-facts.ts'

const MAX_ITEMS: Partial<Record<keyof AgentFacts, number>> = {
  cpus: 64,
  graphics: 16,
  disks: 128,
  physical_disks: 128,
  addresses: 256,
  problems: 20,
}

/** Facts as the contract takes them: lists cut to their bounds, and what does not fit at all left out. */
export function fitFacts(facts: Facts, log: Log): Facts {
  const fitting: [string, unknown][] = []
  for (const [key, value] of Object.entries(facts)) {
    const limit = MAX_ITEMS[key as keyof AgentFacts] // An unknown key has no limit and is refused below.
    const cut = Array.isArray(value) && limit !== undefined ? value.slice(0, limit) : value
    const parsed = AgentFacts.partial().safeParse({ [key]: cut })
    if (parsed.success) fitting.push(...Object.entries(parsed.data))
    else
      log.warn(
        { key, detail: parsed.error.issues[0]?.message },
        'fact left out, it does not fit the contract',
      )
  }
  return Object.fromEntries(fitting)
}
