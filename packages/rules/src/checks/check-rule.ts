import type { Judgement } from './judgement.ts'
import type { SeriesValue } from './series-value.ts'

/** The verdict and the stored values of one type of check, from its settings and its measurement. */
export interface CheckRule<Settings, Measured> {
  judge: (check: Settings, measured: Measured) => Judgement
  /** Values that are stored as a history, the most important one first. */
  series: (measured: Measured) => SeriesValue[]
}
