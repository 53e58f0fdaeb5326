import type { Judgement } from './judgement.ts'
import type { SeriesValue } from './series-value.ts'

/** What is decided and what is kept of a check of one type: from its settings, and from what was measured. */
export interface CheckRule<Settings, Measured> {
  judge: (check: Settings, measured: Measured) => Judgement
  /** The numbers that are kept as a history, the most telling one first. */
  series: (measured: Measured) => SeriesValue[]
}
