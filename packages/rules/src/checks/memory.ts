import { type CheckRule, compare, formatGb, pass, round, roundTo, type ThresholdPair } from './judgement.ts'

interface MemoryCheck extends ThresholdPair {
  memory_kind: 'memory' | 'swap'
}
interface MemoryInUse {
  percent: number
  total_bytes: number
  swap_percent: number | null
}

export const memory: CheckRule<MemoryCheck, MemoryInUse> = {
  judge(check, { percent, total_bytes, swap_percent }) {
    if (check.memory_kind === 'memory') {
      const info = `${round(percent)} % of ${formatGb(total_bytes)} in use`
      return compare({ ...check, reverse: false }, percent, info)
    }
    if (swap_percent === null) return pass('No swap.')
    return compare({ ...check, reverse: false }, swap_percent, `${round(swap_percent)} % of swap in use`)
  },
  series({ percent, swap_percent }) {
    const used = [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }]
    if (swap_percent !== null) used.push({ name: 'swap_percent', value: roundTo(swap_percent, 2), unit: '%' })
    return used
  },
}
