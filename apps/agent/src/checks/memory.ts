import type { CheckKind } from './table.ts'
import { MeasureError } from '../errors.ts'

export const memory: CheckKind<'memory'> = {
  limitMs: () => 30_000,
  async measure(_, { probes, signal }) {
    const { totalBytes, availableBytes, swap } = await probes.readMemory(signal)
    if (!(totalBytes > 0)) throw new MeasureError('The system does not report its memory size.')
    return {
      check_type: 'memory',
      percent: percentUsed(totalBytes, availableBytes),
      total_bytes: totalBytes,
      swap_percent: swap === null ? null : percentUsed(swap.totalBytes, swap.freeBytes),
    }
  },
}

function percentUsed(total: number, free: number): number {
  return Math.min(100, Math.max(0, ((total - free) / total) * 100))
}
