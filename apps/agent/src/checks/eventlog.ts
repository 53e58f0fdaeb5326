import type { CheckKind } from './check-kind.ts'
import { tellEntries } from './tell-entries.ts'

export const eventlog: CheckKind<'eventlog'> = {
  limitMs: () => 30_000,
  async measure({ settings }, { probes, signal }) {
    return { check_type: 'eventlog', ...tellEntries(await probes.findEvents(settings, signal)) }
  },
}
