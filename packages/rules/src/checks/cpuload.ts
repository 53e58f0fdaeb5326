import { type CheckRule, compare, round, roundTo, type ThresholdPair } from './judgement.ts'

export const cpuload: CheckRule<ThresholdPair, { percent: number }> = {
  judge: (check, { percent }) =>
    compare({ ...check, reverse: false }, percent, `${round(percent)} % in use on average`),
  series: ({ percent }) => [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }],
}
