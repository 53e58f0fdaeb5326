import type { CheckKind } from './table.ts'
import { describeEntries } from '../os/log-entries.ts'

export const eventlog: CheckKind<'eventlog'> = {
  limitMs: () => 30_000,
  async measure({ settings }, { probes, signal }) {
    return { check_type: 'eventlog', ...describeEntries(await probes.findEvents(settings, signal)) }
  },
}
