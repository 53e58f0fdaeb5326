import type { CheckKind } from './check-kind.ts'
import { tellEntries } from './tell-entries.ts'

export const journal: CheckKind<'journal'> = {
  limitMs: () => 30_000,
  async measure({ settings }, { probes, signal }) {
    return { check_type: 'journal', ...tellEntries(await probes.findJournal(settings, signal)) }
  },
}
