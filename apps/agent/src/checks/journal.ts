import type { CheckKind } from './table.ts'
import { describeEntries } from '../os/log-entries.ts'

export const journal: CheckKind<'journal'> = {
  limitMs: () => 30_000,
  async measure({ settings }, { probes, signal }) {
    return { check_type: 'journal', ...describeEntries(await probes.findJournal(settings, signal)) }
  },
}
