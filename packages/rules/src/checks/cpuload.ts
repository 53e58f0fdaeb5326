import { compare, round, type ThresholdPair } from './judgement.ts'
import { roundTo } from './series-value.ts'
import type { CheckRule } from './check-rule.ts'

export const cpuload: CheckRule<ThresholdPair, { percent: number }> = {
  judge: (check, { percent }) =>
    compare({ ...check, reverse: false }, percent, `${round(percent)} % in use on average`),
  series: ({ percent }) => [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }],
}
